// Files of the site, with the share of them that is there.

/** A file, from the page itself or from its host. */
export async function answerOf(name, inside) {
  if (inside[name]) return new Response(inside[name]);
  const answer = await fetch(name).catch(() => { throw new Error(`${name} could not be loaded; check the network, then try again.`); });
  if (!answer.ok) throw new Error(`${name} is not on this site (${answer.status}); write it again, or start poselift again.`);
  return answer;
}

export class Files {
  /**
   * @param sizes bytes of all files to be read, by name.
   * @param inside those that lie in the page itself, by name. @param progress gets the share, 0 to 1
   */
  constructor(sizes, inside, progress) {
    Object.assign(this, { inside, progress, sum: 0, total: Object.values(sizes).reduce((sum, size) => sum + size, 0) });
  }

  /** The bytes of a file, as they arrive. */
  async stream(name) {
    const answer = await answerOf(name, this.inside), count = (part, sink) => {
      this.sum += part.length;
      this.progress(Math.min(1, this.sum / this.total));
      sink.enqueue(part);
    };
    return answer.body.pipeThrough(new TransformStream({ transform: count }));
  }

  async read(name) { return bytesOf(await this.stream(name)); }

  /** The bytes that a .gz file holds. */
  async unpacked(name) { return bytesOf((await this.stream(name)).pipeThrough(new DecompressionStream("gzip"))); }
}

const bytesOf = async (stream) => new Uint8Array(await new Response(stream).arrayBuffer());
