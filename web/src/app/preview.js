// The picture at which the worker looks, with the keypoints found in it.

const LEAST = .2, COLORS = ["#fff", "#8fd0ff", "#ffb27a"];

/** @param lines four joints of each line, two at each end, and its side: 0, 1 left, 2 right */
export function drawPreview(canvas, { bitmap, people }, lines) {
  Object.assign(canvas, { width: bitmap.width, height: bitmap.height, hidden: false });
  const pen = canvas.getContext("2d");
  pen.drawImage(bitmap, 0, 0);
  bitmap.close();
  pen.lineWidth = Math.max(1.5, canvas.width / 300);
  pen.lineCap = "round";
  for (const { pixels, scores } of people) for (const [a, a2, b, b2, side] of lines) {
    if ([a, a2, b, b2].some((joint) => !(scores[joint] >= LEAST))) continue;
    const end = (one, other) => [0, 1].map((axis) => (pixels[2 * one + axis] + pixels[2 * other + axis]) / 2);
    pen.strokeStyle = COLORS[side];
    pen.beginPath(); pen.moveTo(...end(a, a2)); pen.lineTo(...end(b, b2)); pen.stroke();
  }
}
