// Pairs of rows and columns at the least total cost (the Hungarian method, by shortest augmenting paths).

const NO_MATCH = 1e4; // cost of a pair that cannot be, so that as many pairs as possible are chosen

/**
 * As many pairs [row, column] as possible, of the least total cost, none of infinite cost.
 * @param {number[][]} costs
 */
export function assign(costs) {
  if (!costs.length || !costs[0].length) return [];
  const turned = costs.length > costs[0].length;
  const table = turned ? costs[0].map((_, column) => costs.map((row) => row[column])) : costs;
  const [rows, columns] = [table.length, table[0].length];
  const at = (row, column) => (Number.isFinite(table[row][column]) ? table[row][column] : NO_MATCH);
  const owner = new Array(columns + 1).fill(-1); // the row of each column; the last column starts a path
  const [priceRow, priceColumn] = [new Float64Array(rows), new Float64Array(columns + 1)];
  for (let start = 0; start < rows; start++) {
    const shortest = new Float64Array(columns).fill(Infinity);
    const before = new Int32Array(columns).fill(columns);
    const done = new Uint8Array(columns + 1);
    let here = columns;
    owner[here] = start;
    while (owner[here] >= 0) {
      done[here] = 1;
      const row = owner[here];
      let [least, next] = [Infinity, -1];
      for (let column = 0; column < columns; column++) {
        if (done[column]) continue;
        const cost = at(row, column) - priceRow[row] - priceColumn[column];
        if (cost < shortest[column]) [shortest[column], before[column]] = [cost, here];
        if (shortest[column] < least) [least, next] = [shortest[column], column];
      }
      for (let column = 0; column <= columns; column++) {
        if (done[column]) {
          priceRow[owner[column]] += least;
          priceColumn[column] -= least;
        } else shortest[column] -= least;
      }
      here = next;
    }
    for (; here !== columns; here = before[here]) owner[here] = owner[before[here]];
    owner[columns] = -1;
  }
  const pairs = [];
  for (let column = 0; column < columns; column++)
    if (owner[column] >= 0 && Number.isFinite(table[owner[column]][column]))
      pairs.push(turned ? [column, owner[column]] : [owner[column], column]);
  return pairs;
}
