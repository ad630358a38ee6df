// A video with its people: found, lifted, and lifted again when keypoints, heights or the camera change.

import { cameraFor, writeCsv, writeJson, writeTrc } from "../numbers/index.js";
import { contentOf } from "./content.js";

export class Session {
  /**
   * @param workroom runs tasks in the worker.
   * @param site what site.json says.
   * @param file the video. @param found its size, times and tracks, as the worker's `find` gives them.
   * @param settings `fov` in degrees and `height` in metres, where the user knows them.
   */
  constructor(workroom, site, file, found, settings) {
    Object.assign(this, { workroom, site, file, ...found, settings });
    this.tracks = new Map(found.tracks.map((track) => [track.person, track]));
  }

  get camera() {
    const [width, height] = this.size;
    return cameraFor({ width, height, fov: this.settings.fov });
  }

  /** Lifts everybody; what has not changed since the last time is taken over. */
  async lift(progress) {
    const tracks = [...this.tracks.values()], { height } = this.settings;
    const heights = height ? Object.fromEntries(tracks.map(({ person }) => [person, height])) : {};
    const begun = performance.now();
    Object.assign(this, await this.workroom.run("lift", { tracks, camera: this.camera, heights }, progress));
    this.seconds.lift = (performance.now() - begun) / 1000;
  }

  /** Changes somebody's keypoints; `lift` follows them. @param change gets the track and gives another one */
  edit(person, change) { this.tracks.set(person, change(this.tracks.get(person))); }

  /** What the viewer shows. */
  content() { return contentOf(this, this.site.drawing, (motion) => this.filesOf(motion)); }

  /** Makes the files of a person, by ending, as the command names and writes them. */
  filesOf(motion) {
    const { workroom, site, camera } = this, start = this.times[0], request = { motion, start };
    return {
      csv: () => writeCsv(motion, start),
      json: () => writeJson(motion, { camera, start, detector: site.detector, weights: site.weights, video: this.file.name }),
      trc: () => writeTrc([motion], `person_${motion.person}.trc`, start),
      bvh: () => workroom.run("bvh", request),
      glb: () => workroom.run("glb", request),
    };
  }
}
