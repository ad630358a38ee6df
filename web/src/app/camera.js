// A recording from the camera, as a file like any other.

let stream = null, recorder = null, asked = 0;

/** Shows the camera. @param made gets the file when the recording ends @returns false if it was left meanwhile */
export async function useCamera(preview, button, made) {
  if (!navigator.mediaDevices?.getUserMedia || !globalThis.MediaRecorder) throw new Error("This browser gives no camera to this page; open a video instead.");
  stopCamera();
  const mine = asked;
  let opened;
  try {
    opened = await navigator.mediaDevices.getUserMedia({ video: { width: { ideal: 1280 }, frameRate: { ideal: 30 } } });
  } catch (error) {
    throw new Error(error.name === "NotAllowedError" ? "The camera is not allowed for this page; allow it in the browser's settings."
      : "There is no camera that the browser can use; open a video instead.");
  }
  if (mine !== asked) { stop(opened); return false; }
  stream = preview.srcObject = opened;
  preview.play().catch(() => {});
  button.textContent = "Record";
  button.onclick = () => record(button, made);
  return true;
}

function record(button, made) {
  const parts = [], type = ["video/mp4", "video/webm"].find((each) => MediaRecorder.isTypeSupported(each));
  recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: 8e6 });
  recorder.ondataavailable = ({ data }) => parts.push(data);
  recorder.onstop = () => { stopCamera(); made(new File(parts, `recording.${type?.includes("mp4") ? "mp4" : "webm"}`, { type })); };
  recorder.start(1000);
  button.textContent = "Stop";
  button.onclick = () => { button.onclick = null; recorder.stop(); };
}

/** Ends the camera; a recording that still runs is dropped. */
export function stopCamera() {
  asked++;
  if (recorder) recorder.onstop = null;
  if (stream) stop(stream);
  stream = recorder = null;
}

function stop(some) { for (const track of some.getTracks()) track.stop(); }
