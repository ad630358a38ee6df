// The picture at which the worker looks, with the keypoints found in it.

const LEAST = .2, COLORS = ["#fff", "#8fd0ff", "#ffb27a"];

/** @param lines four joints of each line, two at each end, and its side: 0, 1 left, 2 right. @param handLines likewise, of both hands */
export function drawPreview(canvas, { bitmap, people }, lines, handLines) {
  Object.assign(canvas, { width: bitmap.width, height: bitmap.height, hidden: false });
  const pen = canvas.getContext("2d");
  pen.drawImage(bitmap, 0, 0);
  bitmap.close();
  pen.lineWidth = Math.max(1.5, canvas.width / 300);
  pen.lineCap = "round";
  const fingers = people.flatMap(({ hands }) => hands ?? []).length ? people.map(handsOf) : [];
  for (const person of people) drawLines(pen, person, lines);
  pen.lineWidth = 1; // fingers lie near each other
  for (const hands of fingers) drawLines(pen, hands, handLines);
}

/** Both hands as one body; what is not seen has scores of 0. */
function handsOf({ hands = [null, null] }) {
  const points = hands.map((hand) => hand ?? new Float64Array(42).fill(NaN));
  return { pixels: points.flatMap((hand) => [...hand]), scores: points.flatMap((hand) => Array(21).fill(Number.isNaN(hand[0]) ? 0 : 1)) };
}

function drawLines(pen, { pixels, scores }, lines) {
  for (const [a, a2, b, b2, side] of lines) {
    if ([a, a2, b, b2].some((joint) => !(scores[joint] >= LEAST))) continue;
    const end = (one, other) => [0, 1].map((axis) => (pixels[2 * one + axis] + pixels[2 * other + axis]) / 2);
    pen.strokeStyle = COLORS[side];
    pen.beginPath(); pen.moveTo(...end(a, a2)); pen.lineTo(...end(b, b2)); pen.stroke();
  }
}
