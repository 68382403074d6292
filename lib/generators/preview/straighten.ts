import type { RawImage, Size } from '../../imaging/libvips.ts';
import { type EdgePoint, findEdges } from './lines.ts';
import type { Operation } from './operation.ts';
import { meanOf, thumbnailOf } from './plane.ts';
import { findVerticals, type Verticals } from './vertical.ts';
import { fillFrame, type Homography, IDENTITY, multiply, warp } from './warp.ts';

/** Focal length of a typical wide lens of a property photo, in longest sides of the image. */
const FOCAL = 0.75;
/** Smaller errors are not worth a resampling. */
const MIN_DEGREES = 0.1;
const MAX_ROLL_DEGREES = 8;
const DEGREE = Math.PI / 180;

/** Estimates of a strong keystone are a little short; the second one corrects what is left. */
const ROUNDS = 3;
const THUMBNAIL = 640;

/**
 * Makes verticals upright, as if the camera had been level: a rotation of the camera maps their vanishing point to
 * infinity. For `horizontal`, levels the horizon alone. Undefined when the photo shows no lines to go by.
 */
export const straighten: Operation = async (image, { perspectiveAxis }) => {
  const thumbnail = await thumbnailOf(image, THUMBNAIL);
  const find = perspectiveAxis === 'horizontal' ? levelMap : uprightMap;
  let map = IDENTITY;
  for (let round = 0; round < ROUNDS; round++) {
    const next = find(round === 0 ? thumbnail : warp(thumbnail, fillFrame(map, thumbnail)));
    if (next === undefined && round === 0) return undefined;
    if (next === undefined || next === IDENTITY) break;
    map = multiply(fillFrame(map, thumbnail), next);
  }
  return map === IDENTITY ? image : warp(image, fillFrame(rescaled(map, thumbnail, image), image));
};

/** Rotates the horizon level. */
function levelMap(image: RawImage): Homography | undefined {
  const edges = findEdges(image);
  const verticals = findVerticals(edges, image);
  // Of the nearly level lines of a room most run into the depth, but its verticals lean with the camera.
  const roll = verticals === undefined ? findRoll(edges) : -Math.atan(verticals.lean);
  if (roll === undefined || Math.abs(roll) < MIN_DEGREES * DEGREE)
    return roll === undefined ? undefined : IDENTITY;
  return centred(rotation(roll), image);
}

/** Maps the result to the source: the camera turned so that verticals are parallel to the sensor. */
function uprightMap(image: RawImage): Homography | undefined {
  const verticals = findVerticals(findEdges(image), image);
  if (verticals === undefined) return undefined;
  const edge = (verticals.pull * image.width) / 2;
  const worst = Math.max(Math.abs(verticals.lean - edge), Math.abs(verticals.lean + edge));
  return worst < MIN_DEGREES * DEGREE ? IDENTITY : centred(turnUpright(verticals, image), image);
}

/** A map between thumbnails as one between full images. */
function rescaled(map: Homography, from: Size, to: Size): Homography {
  const [x, y] = [to.width / from.width, to.height / from.height];
  const enlarge: Homography = [x, 0, (x - 1) / 2, 0, y, (y - 1) / 2, 0, 0, 1];
  const reduce: Homography = [1 / x, 0, (1 / x - 1) / 2, 0, 1 / y, (1 / y - 1) / 2, 0, 0, 1];
  return multiply(multiply(enlarge, map), reduce);
}

/** The smallest rotation of the camera that makes the verticals parallel to the sensor, from the centre. */
function turnUpright({ lean, pull }: Verticals, size: Size): Homography {
  const focal = FOCAL * Math.max(size.width, size.height);
  // The direction of the verticals: their vanishing point is (-lean / pull, -1 / pull).
  const [x, y, z] = normalised([lean, 1, -pull * focal]);
  // The smallest rotation that maps (0, 1, 0) to it (Rodrigues).
  const share = 1 / (1 + y);
  const turn: Homography = [
    1 - x * x * share,
    x,
    -x * z * share,
    -x,
    y,
    -z,
    -x * z * share,
    z,
    1 - z * z * share,
  ];
  return multiply(multiply(lens(focal), turn), lens(1 / focal));
}

const lens = (focal: number): Homography => [focal, 0, 0, 0, focal, 0, 0, 0, 1];

function normalised(vector: readonly [number, number, number]): [number, number, number] {
  const length = Math.hypot(...vector);
  return [vector[0] / length, vector[1] / length, vector[2] / length];
}

const rotation = (angle: number): Homography => [
  Math.cos(angle),
  -Math.sin(angle),
  0,
  Math.sin(angle),
  Math.cos(angle),
  0,
  0,
  0,
  1,
];

/** The map of points measured from the centre, for points measured from the corner. */
function centred(map: Homography, { width, height }: Size): Homography {
  const [x, y] = [(width - 1) / 2, (height - 1) / 2];
  return multiply(multiply([1, 0, x, 0, 1, y, 0, 0, 1], map), [1, 0, -x, 0, 1, -y, 0, 0, 1]);
}

const BINS_PER_DEGREE = 8;
/** The angle is the mean of so many bins on both sides of the peak. */
const AROUND = 4;
/** Times the average bin: a clear peak. */
const CLEAR_PEAK = 2;

/** The most frequent angle of nearly level edges, clockwise in radians; undefined when there is none. */
function findRoll(points: readonly EdgePoint[]): number | undefined {
  const bins = new Float64Array(2 * MAX_ROLL_DEGREES * BINS_PER_DEGREE + 1);
  for (const { dx, dy, weight } of points) {
    if (Math.abs(dy) > Math.abs(dx)) continue;
    const bin = Math.round((Math.atan(dy / dx) / DEGREE + MAX_ROLL_DEGREES) * BINS_PER_DEGREE);
    if (bin >= 0 && bin < bins.length) bins[bin] = (bins[bin] ?? 0) + weight;
  }
  const smoothed = bins.map((_, bin) =>
    bins.subarray(Math.max(0, bin - 2), bin + 3).reduce((sum, value) => sum + value, 0),
  );
  const best = smoothed.indexOf(Math.max(...smoothed));
  const average = meanOf(smoothed);
  if ((smoothed[best] ?? 0) <= CLEAR_PEAK * average) return undefined;
  let [sum, weight] = [0, 1e-9];
  for (let bin = Math.max(0, best - AROUND); bin <= Math.min(bins.length - 1, best + AROUND); bin++) {
    sum += bin * (bins[bin] ?? 0);
    weight += bins[bin] ?? 0;
  }
  return (sum / weight / BINS_PER_DEGREE - MAX_ROLL_DEGREES) * DEGREE;
}
