import type { RawImage } from '../../imaging/libvips.ts';
import { flood } from './masks.ts';
import { boxBlur, colourAt, lumaAt, type Plane, planeOf } from './plane.ts';
import { greenness } from './plants.ts';

/** Sky among leaves: near it in pixels of the thumbnail, this like it in each channel, with leaves around. */
const AMONG_LEAVES = { reach: 24, near: 0.03, like: 30, leaves: 0.15 };
/** Sky behind a tree or beside a wall: as in its row elsewhere, beside leaves, and a small share of the image. */
const POCKET = { like: 18, row: 0.12, leaves: 0.08, least: 0.0003, most: 0.012 };

/** Adds the sky that objects separate from the rest: gaps between leaves, and pockets at the horizon. */
export function withGaps(thumbnail: RawImage, sky: Plane): Plane {
  const leaves = leavesOf(thumbnail);
  const isGap = gapTest(thumbnail, sky, leaves);
  const filled = planeOf(thumbnail, (at) => Number(sky.values[at] === 1 || isGap(at)));
  for (const pocket of pocketsOf(thumbnail, sky))
    if (meanAt(leaves, pocket) > POCKET.leaves) for (const at of pocket) filled.values[at] = 1;
  return filled;
}

const meanAt = (values: Float32Array, places: readonly number[]) =>
  places.reduce((sum, at) => sum + (values[at] ?? 0), 0) / places.length;

function leavesOf(thumbnail: RawImage): Float32Array {
  const { pixels } = thumbnail;
  const isLeaf = (at: number) => greenness(...colourAt(pixels, at)) > 0.3 || lumaAt(pixels, at * 3) < 60;
  return boxBlur(
    planeOf(thumbnail, (at) => Number(isLeaf(at))),
    5,
  ).values;
}

function gapTest(thumbnail: RawImage, sky: Plane, leaves: Float32Array): (at: number) => boolean {
  const { pixels } = thumbnail;
  const near = boxBlur(sky, AMONG_LEAVES.reach).values;
  const around = [0, 1, 2].map((channel) => {
    const skyOnly = planeOf(thumbnail, (at) => (sky.values[at] ?? 0) * (pixels[at * 3 + channel] ?? 0));
    return boxBlur(skyOnly, AMONG_LEAVES.reach).values;
  });
  return (at) => {
    const share = near[at] ?? 0;
    if (share < AMONG_LEAVES.near || (leaves[at] ?? 0) < AMONG_LEAVES.leaves) return false;
    return around.every(
      (sums, channel) =>
        Math.abs((pixels[at * 3 + channel] ?? 0) - (sums[at] ?? 0) / share) < AMONG_LEAVES.like,
    );
  };
}

/** Connected areas outside of the sky that have its colour in their rows. */
function pocketsOf(thumbnail: RawImage, sky: Plane): number[][] {
  const { width, height, pixels } = thumbnail;
  const rows = Array.from({ length: height }, (_, y) => meanOfRow(thumbnail, sky, y));
  const passes = (at: number) => {
    const colour = rows[Math.floor(at / width)];
    return (
      sky.values[at] !== 1 &&
      colour !== undefined &&
      colourAt(pixels, at).every((level, channel) => Math.abs(level - (colour[channel] ?? 0)) < POCKET.like)
    );
  };
  const seen = new Uint8Array(width * height);
  const pockets: number[][] = [];
  for (let start = 0; start < seen.length; start++) {
    const pocket = flood(thumbnail, [start], passes, seen);
    const share = pocket.length / seen.length;
    if (share > POCKET.least && share < POCKET.most) pockets.push(pocket);
  }
  return pockets;
}

function meanOfRow({ pixels, width }: RawImage, sky: Plane, y: number): number[] | undefined {
  const sums = [0, 0, 0];
  let count = 0;
  for (let at = y * width; at < (y + 1) * width; at++) {
    if (sky.values[at] !== 1) continue;
    count++;
    colourAt(pixels, at).forEach((level, channel) => {
      sums[channel] = (sums[channel] ?? 0) + level;
    });
  }
  return count < POCKET.row * width ? undefined : sums.map((sum) => sum / count);
}
