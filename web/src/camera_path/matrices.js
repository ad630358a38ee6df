// Matrices of three by three numbers, row by row, their rotations, and linear equations.

/** @typedef {Float64Array} Matrix nine numbers, row by row */

export const identity = () => diagonal(1, 1, 1);
export const diagonal = (a, b, c) => Float64Array.of(a, 0, 0, 0, b, 0, 0, 0, c);
export const transposed = (m) => Float64Array.of(m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]);

/** The product of matrices. */
export function product(first, ...others) {
  return others.reduce((a, b) => Float64Array.from({ length: 9 }, (_, i) => {
    const row = i - i % 3, column = i % 3;
    return a[row] * b[column] + a[row + 1] * b[column + 3] + a[row + 2] * b[column + 6];
  }), first);
}

/** A matrix times a vector. */
export const applied = (m, [x, y, z]) => [m[0] * x + m[1] * y + m[2] * z, m[3] * x + m[4] * y + m[5] * z, m[6] * x + m[7] * y + m[8] * z];

export const determinant = (m) =>
  m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);

export function inverse(m) {
  const d = determinant(m);
  return Float64Array.of(
    m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
    m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
    m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3],
  ).map((value) => value / d);
}

/** The rotation nearest to a matrix of positive determinant (Higham 1986, Computing the Polar Decomposition). */
export function nearestRotation(matrix) {
  let m = matrix;
  for (let round = 0; round < 50; round++) {
    const other = transposed(inverse(m)), scale = Math.cbrt(1 / determinant(m));
    const next = m.map((value, i) => (scale * value + other[i] / scale) / 2);
    const moved = Math.hypot(...next.map((value, i) => value - m[i]));
    m = next;
    if (moved < 1e-14) break;
  }
  return m;
}

/** The rotation about a vector by its length in radians (Rodrigues). */
export function axisAngle(x, y, z) {
  const angle = Math.hypot(x, y, z), s = angle < 1e-9 ? 1 : Math.sin(angle) / angle, c = angle < 1e-9 ? 0.5 : (1 - Math.cos(angle)) / angle ** 2;
  return Float64Array.of(
    1 - c * (y * y + z * z), c * x * y - s * z, c * x * z + s * y,
    c * x * y + s * z, 1 - c * (x * x + z * z), c * y * z - s * x,
    c * x * z - s * y, c * y * z + s * x, 1 - c * (x * x + y * y),
  );
}

/** Angle between two rotations, radians; exact for small ones too. */
export function angleOf(first, second) {
  const chord = Math.hypot(...first.map((value, i) => value - second[i])) / (2 * Math.SQRT2);
  return 2 * Math.asin(Math.min(chord, 1));
}

/** The solution of A x = b for a symmetric A (n, n) of positive curvature, by Cholesky's method; both are overwritten. */
export function solveSymmetric(A, b) {
  const n = b.length;
  for (let j = 0; j < n; j++) for (let i = j; i < n; i++) {
    let sum = A[i * n + j];
    for (let k = 0; k < j; k++) sum -= A[i * n + k] * A[j * n + k];
    A[i * n + j] = i === j ? Math.sqrt(Math.max(sum, Number.MIN_VALUE)) : sum / A[j * n + j];
  }
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) b[i] -= A[i * n + k] * b[k];
    b[i] /= A[i * n + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) b[i] -= A[k * n + i] * b[k];
    b[i] /= A[i * n + i];
  }
  return b;
}
