import type { Size } from '../../imaging/libvips.ts';
import type { EdgePoint } from './lines.ts';

/**
 * How upright lines lean: a line through (x, y), measured from the centre, leans by `dx / dy = lean + pull * x` at the
 * height of the centre. `pull` is 0 where verticals are parallel, and 1 / distance of their vanishing point otherwise.
 */
export interface Verticals {
  lean: number;
  pull: number;
}

/** Edges that lean more than this are no verticals. */
const MAX_LEAN = Math.tan((28 * Math.PI) / 180);
const MAX_ROLL = Math.tan((9 * Math.PI) / 180);
/** In half-widths of the image: how much the lean may differ between the centre and the side. */
const MAX_PULL = 0.36;
const STEPS = { pull: 36, lean: 160 };
/** Enough for a vote; more only take longer. */
const VOTERS = 2500;
/** Edges within this of the estimate belong to it, in the last round. */
const TOLERANCE = 0.02;
/** Share of the weight of the edges that must agree: of the steep ones, and of all. Faces and fur have less. */
const LEAST_SUPPORT = { steep: 0.23, all: 0.05 };

/** Finds the verticals by a vote of all steep edges, then by least squares. Undefined when there are too few. */
export function findVerticals(points: readonly EdgePoint[], size: Size): Verticals | undefined {
  const steep = points.filter(({ dx, dy }) => Math.abs(dx) < MAX_LEAN * dy);
  const half = size.width / 2;
  const voters = steep.filter((_, index) => index % Math.ceil(steep.length / VOTERS) === 0);
  let found = vote(voters, half);
  for (const tolerance of [3 * TOLERANCE, 2 * TOLERANCE, TOLERANCE, TOLERANCE])
    found = refineOnce(steep, found, tolerance);
  const support = weightOf(steep.filter((point) => Math.abs(miss(point, found)) < TOLERANCE));
  const enough =
    support > LEAST_SUPPORT.steep * weightOf(steep) && support > LEAST_SUPPORT.all * weightOf(points);
  return enough ? found : undefined;
}

/** Lean that the vanishing point implies at a point: all lines through it meet where `1 + pull * y` is 0. */
const leanAt = ({ x, y }: EdgePoint, { lean, pull }: Verticals) => (lean + pull * x) / (1 + pull * y);

const miss = (point: EdgePoint, verticals: Verticals) => point.dx / point.dy - leanAt(point, verticals);

const weightOf = (points: readonly EdgePoint[]) => points.reduce((sum, { weight }) => sum + weight, 0);

/** For every pull, each edge says at what lean it would be a vertical; the fullest bin wins. */
function vote(points: readonly EdgePoint[], half: number): Verticals {
  let best = { votes: 0, lean: 0, pull: 0 };
  for (let step = -STEPS.pull; step <= STEPS.pull; step++) {
    const pull = ((step / STEPS.pull) * MAX_PULL) / half;
    const bins = new Float64Array(2 * STEPS.lean + 1);
    for (const point of points) {
      const lean = (point.dx / point.dy) * (1 + pull * point.y) - pull * point.x;
      const bin = Math.round((lean / MAX_ROLL) * STEPS.lean) + STEPS.lean;
      if (bin >= 0 && bin < bins.length) bins[bin] = (bins[bin] ?? 0) + point.weight;
    }
    for (let bin = 2; bin < bins.length - 2; bin++) {
      const votes = sum(bins.subarray(bin - 2, bin + 3));
      if (votes > best.votes) best = { votes, lean: ((bin - STEPS.lean) / STEPS.lean) * MAX_ROLL, pull };
    }
  }
  return best;
}

/** Weighted least squares over the edges within the tolerance: `dx / dy = lean + pull * (x - y * dx / dy)`. */
function refineOnce(points: readonly EdgePoint[], near: Verticals, tolerance: number): Verticals {
  let [n, sx, sy, sxx, sxy] = [1e-9, 0, 0, 0, 0];
  for (const point of points) {
    if (Math.abs(miss(point, near)) > tolerance) continue;
    const slope = point.dx / point.dy;
    const x = point.x - point.y * slope;
    n += point.weight;
    sx += point.weight * x;
    sy += point.weight * slope;
    sxx += point.weight * x * x;
    sxy += point.weight * x * slope;
  }
  const spread = sxx - (sx * sx) / n;
  const pull = spread < 1e-6 * n ? near.pull : (sxy - (sx * sy) / n) / spread;
  return { pull, lean: (sy - pull * sx) / n };
}

const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0);
