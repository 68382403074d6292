import type { RawImage } from '../../imaging/libvips.ts';
import { clamp } from './curve.ts';
import { boxBlur, lumaOf, type Plane, planeOf } from './plane.ts';

/** An edge pixel of a thumbnail: its place from the centre and the direction of its edge, in pixels. */
export interface EdgePoint {
  x: number;
  y: number;
  /** Unit vector along the edge; `dy` is positive, or `dx` when the edge is level. */
  dx: number;
  dy: number;
  weight: number;
}

/** Strength of a gradient, per pixel, below which it is texture. */
const WEAKEST = 5;
/** How much the gradients around an edge must agree on its direction, from 0 to 1. */
const COHERENCE = 0.75;
/** Radius of that neighbourhood, in pixels: several steps of a slanted edge. */
const WINDOW = 4;

/**
 * The edge pixels of a thumbnail with the directions of their edges, from the structure tensor: the gradients of a
 * small neighbourhood together are precise to a fraction of a degree.
 */
export function findEdges(thumbnail: RawImage): EdgePoint[] {
  const luma = boxBlur(boxBlur(lumaOf(thumbnail), 1), 1);
  const { width, height } = luma;
  const { x: gx, y: gy } = gradients(luma);
  const tensor = [product(gx, gx), product(gy, gy), product(gx, gy)].map((plane) =>
    boxBlur(boxBlur(plane, WINDOW), WINDOW),
  ) as [Plane, Plane, Plane];
  const points: EdgePoint[] = [];
  for (let at = 0; at < width * height; at++) {
    const strength = Math.hypot(gx.values[at] ?? 0, gy.values[at] ?? 0);
    const [x, y] = [at % width, Math.floor(at / width)];
    if (strength < WEAKEST || x < 6 || y < 6 || x >= width - 6 || y >= height - 6) continue;
    const point = pointOf(tensor, at);
    if (point !== undefined)
      points.push({
        ...point,
        x: x - (width - 1) / 2,
        y: y - (height - 1) / 2,
        weight: Math.min(40, strength),
      });
  }
  return points;
}

/** The direction along the edge, which is across the dominant gradient; undefined where there is no single one. */
function pointOf(
  [xx, yy, xy]: readonly [Plane, Plane, Plane],
  at: number,
): { dx: number; dy: number } | undefined {
  const [a, b, c] = [xx.values[at] ?? 0, yy.values[at] ?? 0, xy.values[at] ?? 0];
  if (Math.hypot(a - b, 2 * c) < COHERENCE * (a + b)) return undefined;
  const across = 0.5 * Math.atan2(2 * c, a - b);
  const [dx, dy] = [-Math.sin(across), Math.cos(across)];
  return dy < 0 ? { dx: -dx, dy: -dy } : { dx, dy };
}

function gradients(luma: Plane): { x: Plane; y: Plane } {
  const { values, width, height } = luma;
  const level = (x: number, y: number) =>
    values[clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1)] ?? 0;
  const along = (stepX: number, stepY: number) =>
    planeOf(luma, (at) => {
      const [x, y] = [at % width, Math.floor(at / width)];
      return (level(x + stepX, y + stepY) - level(x - stepX, y - stepY)) / 2;
    });
  return { x: along(1, 0), y: along(0, 1) };
}

const product = (a: Plane, b: Plane) => planeOf(a, (at) => (a.values[at] ?? 0) * (b.values[at] ?? 0));
