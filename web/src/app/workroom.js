// The worker, as functions that answer.

export class Workroom {
  /** @param script address of the worker. @param pull gives the picture of a number, where the page has to seek. @param preview gets pictures at work */
  constructor(script, pull, preview) {
    Object.assign(this, { last: 0, waiting: new Map(), worker: new Worker(script) });
    this.worker.onmessage = async ({ data }) => {
      if ("pull" in data) return this.give(await pull(data.pull).catch((error) => ({ error: error.message })));
      if (data.preview) return preview(data.preview);
      const task = this.waiting.get(data.id);
      if (data.progress) return task?.progress(data.progress.stage, data.progress.share);
      this.waiting.delete(data.id);
      if ("error" in data) task.fail(new Error(data.error));
      else task.done(data.result);
    };
    this.worker.onerror = (event) => {
      event.preventDefault();
      for (const { fail } of this.waiting.values()) fail(new Error(`This browser stopped the work: ${event.message ?? "no reason given"}.`));
      this.waiting.clear();
    };
  }

  /** Does a task. @param progress gets the stage and its share, 0 to 1 */
  run(kind, request, progress = () => {}) {
    const id = ++this.last;
    return new Promise((done, fail) => {
      this.waiting.set(id, { done, fail, progress });
      this.worker.postMessage({ id, kind, request });
    });
  }

  cancel() { this.worker.postMessage({ kind: "cancel" }); }

  give(picture) { this.worker.postMessage({ kind: "picture", request: picture }, picture?.bitmap ? [picture.bitmap] : []); }
}
