// Time stamps of frames, and values at other times than theirs (poselift.numerics.times).

const SPAN = 10; // intervals per run, in clips of more than two runs
const MET = 1e-6; // share of the time between two values by which a wanted time may miss one

/** Index of the first time that is not below a value; with "right", of the first one above it. */
export function searchSorted(times, value, side = "left") {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < value || (side === "right" && times[middle] === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The median; the mean of two middle values. NaN of nothing. */
export function median(values) {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** The nearest whole number; of two, the even one, as in Python. */
export function rounded(value) {
  const up = Math.round(value);
  return up - value === 0.5 && up % 2 ? up - 1 : up;
}

/** Typical interval between frames, seconds: the median over short runs; 0 for fewer than two frames. */
export function medianInterval(times) {
  if (times.length < 2) return 0;
  const span = times.length > 2 * SPAN ? SPAN : 1;
  const steps = Float64Array.from({ length: times.length - 1 }, (_, k) => times[k + 1] - times[k]);
  const lasts = [];
  const even = [];
  for (let first = 0; first + span <= steps.length; first++) {
    const run = steps.subarray(first, first + span);
    const last = run.reduce((sum, step) => sum + step, 0);
    lasts.push(last);
    if (2 * Math.max(...run) <= last) even.push(last);
  }
  return median(even.length ? even : lasts) / span;
}

/**
 * Rows of values at other times, linearly; constant before the first and after the last.
 * @param {Float32Array|Float64Array} values (n, width)
 * @param {ArrayLike<number>} times of the values, seconds, increasing
 * @param {ArrayLike<number>} wanted times of the result
 * @param {number} width numbers in a row
 * @param {number} longest times between two values further apart than this are NaN, seconds
 */
export function interpolate(values, times, wanted, width, longest = Infinity) {
  const out = new values.constructor(wanted.length * width);
  for (let row = 0; row < wanted.length; row++) {
    const after = Math.min(searchSorted(times, wanted[row]), times.length - 1);
    const before = Math.max(after - 1, 0);
    const span = times[after] - times[before];
    let share = Math.min(Math.max((wanted[row] - times[before]) / (span > 0 ? span : 1), 0), 1);
    if (share < MET) share = 0;
    if (share > 1 - MET) share = 1;
    const lost = span > longest && share > 0 && share < 1;
    for (let k = 0; k < width; k++) {
      const [start, end] = [values[before * width + k], values[after * width + k]];
      // A time that is met needs no neighbour, which may be NaN.
      const value = share === 0 ? start : share === 1 ? end : (1 - share) * start + share * end;
      out[row * width + k] = lost ? NaN : value;
    }
  }
  return out;
}

/** Runs of frames [first, end) in which a flag is set; where `apart` is set between two frames a run ends too. */
export function runsOf(flags, apart = () => false) {
  const runs = [];
  for (let frame = 0, first = -1; frame < flags.length; frame++) {
    if (!flags[frame]) continue;
    if (first < 0) first = frame;
    if (frame + 1 < flags.length && flags[frame + 1] && !apart(frame)) continue;
    runs.push([first, frame + 1]);
    first = -1;
  }
  return runs;
}
