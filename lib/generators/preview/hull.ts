import type { Size } from '../../imaging/libvips.ts';

export type Point = readonly [x: number, y: number];

/** Marks the pixels inside of the convex hull of the points. */
export function fillHull(marks: Uint8Array, { width }: Size, points: readonly Point[]): void {
  const sorted = [...points].sort(([x1, y1], [x2, y2]) => y1 - y2 || x1 - x2);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return;
  const left = chainOf(extremes(sorted, Math.min), 1);
  const right = chainOf(extremes(sorted, Math.max), -1);
  for (let y = first[1]; y <= last[1]; y++)
    marks.fill(1, y * width + Math.ceil(edgeAt(left, y)), y * width + Math.floor(edgeAt(right, y)) + 1);
}

/** The leftmost or rightmost point of each row, from the top. */
function extremes(points: readonly Point[], choose: (a: number, b: number) => number): Point[] {
  const rows = new Map<number, number>();
  for (const [x, y] of points) rows.set(y, choose(rows.get(y) ?? x, x));
  return [...rows].map(([y, x]): Point => [x, y]);
}

/** Drops the points between which the outline would turn inwards; `side` is 1 for the left and -1 for the right. */
function chainOf(points: readonly Point[], side: 1 | -1): Point[] {
  const chain: Point[] = [];
  for (const point of points) {
    while (chain.length > 1 && turn(chain.at(-2) ?? point, chain.at(-1) ?? point, point) * side >= 0)
      chain.pop();
    chain.push(point);
  }
  return chain;
}

const turn = ([ax, ay]: Point, [bx, by]: Point, [cx, cy]: Point) =>
  (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);

function edgeAt(chain: readonly Point[], y: number): number {
  const next = Math.max(
    1,
    chain.findIndex((point) => point[1] >= y),
  );
  const [from, to] = [chain[next - 1] ?? [0, 0], chain[next] ?? chain[next - 1] ?? [0, 0]];
  return to[1] === from[1] ? from[0] : from[0] + ((to[0] - from[0]) * (y - from[1])) / (to[1] - from[1]);
}
