// A recording from the camera, as a file like any other.

let stream = null;

/** Shows the camera. @param made gets the file when the recording ends */
export async function useCamera(preview, button, made) {
  if (!navigator.mediaDevices?.getUserMedia || !globalThis.MediaRecorder) throw new Error("This browser gives no camera to this page; open a video instead.");
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: { width: { ideal: 1280 }, frameRate: { ideal: 30 } } });
  } catch (error) {
    throw new Error(error.name === "NotAllowedError" ? "The camera is not allowed for this page; allow it in the browser's settings."
      : "There is no camera that the browser can use; open a video instead.");
  }
  preview.srcObject = stream;
  preview.play().catch(() => {});
  button.textContent = "Record";
  button.onclick = () => record(button, made);
}

function record(button, made) {
  const parts = [], type = ["video/mp4", "video/webm"].find((each) => MediaRecorder.isTypeSupported(each));
  const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: 8e6 });
  recorder.ondataavailable = ({ data }) => parts.push(data);
  recorder.onstop = () => made(new File(parts, `recording.${type?.includes("mp4") ? "mp4" : "webm"}`, { type }));
  recorder.start(1000);
  button.textContent = "Stop";
  button.onclick = () => { recorder.stop(); stopCamera(); };
}

export function stopCamera() {
  for (const track of stream?.getTracks() ?? []) track.stop();
  stream = null;
}
