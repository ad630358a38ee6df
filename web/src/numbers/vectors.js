// Vectors of three numbers in the camera frame.

export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const minus = (a, b) => a.map((value, k) => value - b[k]);
export const unit = (vector) => vector.map((value) => value / Math.max(Math.hypot(...vector), 1e-9));
export const sumOf = (vectors) => [0, 1, 2].map((k) => vectors.reduce((sum, vector) => sum + vector[k], 0));
export const meanOf = (vectors) => sumOf(vectors).map((value) => value / vectors.length);
export const angleBetween = (a, b) => Math.acos(Math.min(Math.max(dot(unit(a), unit(b)), -1), 1));
export const CAMERA_UP = [0, -1, 0];
