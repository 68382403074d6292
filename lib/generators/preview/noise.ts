import type { RawImage, Size } from '../../imaging/libvips.ts';
import { clamp } from './curve.ts';
import type { Operation } from './operation.ts';
import { lumaAt } from './plane.ts';

/** For images of up to so many pixels: how many neighbours count on each side, and at which distance from each other. */
const WINDOWS = [
  { pixels: 3.5e6, radius: 3, step: 1 },
  { pixels: 7e6, radius: 2, step: 1 },
];
const COARSE = { radius: 1, step: 2 };
/** Standard deviation of the weight by distance, in pixels, for three neighbours on each side. */
const SPATIAL_SIGMA = 2;
/** Below this standard deviation, in levels, a photo counts as clean. */
const CLEAN = 0.8;
/** Differences within this many standard deviations of the noise are taken for noise. */
const REACHES: ReadonlyMap<string | undefined, number> = new Map([
  ['subtle', 0.9],
  ['strong', 2.2],
]);
const BALANCED = 1.5;

/**
 * A joint bilateral filter: every pixel becomes the mean of its neighbours, which count by their distance and by how
 * similar they are in a lightly blurred copy of the luma, where noise hides fewer edges. It adapts to the noise found.
 */
export const removeNoise: Operation = async (image, { intensity }) => {
  const luma = lumaBytes(image);
  const noise = estimateNoise(luma, image.width);
  if (noise < CLEAN) return image;
  const range = rangeWeights(noise * (REACHES.get(intensity) ?? BALANCED));
  return filter(image, binomialBlur(luma, image), range);
};

function lumaBytes({ pixels }: RawImage): Uint8Array {
  const luma = new Uint8Array(pixels.length / 3);
  for (let at = 0, from = 0; at < luma.length; at++, from += 3) luma[at] = lumaAt(pixels, from) + 0.5;
  return luma;
}

/** Standard deviation of the noise, from the median response to a mask without response to edges (Immerkaer 1996). */
function estimateNoise(luma: Uint8Array, width: number): number {
  const counts = new Uint32Array(16 * 255 + 1);
  const level = (at: number) => luma[at] ?? 0;
  let total = 0;
  for (let at = width + 1; at < luma.length - width - 1; at += 3) {
    const corners =
      level(at - width - 1) + level(at - width + 1) + level(at + width - 1) + level(at + width + 1);
    const sides = level(at - width) + level(at + width) + level(at - 1) + level(at + 1);
    const response = Math.abs(corners - 2 * sides + 4 * level(at));
    counts[response] = (counts[response] ?? 0) + 1;
    total++;
  }
  let response = 0;
  for (let seen = counts[0] ?? 0; seen < total / 2; seen += counts[response] ?? 0) response++;
  return response / (6 * 0.6745);
}

/** Weights by the difference of two levels plus 255. */
const rangeWeights = (sigma: number) =>
  Float32Array.from({ length: 511 }, (_, index) => Math.exp(-((index - 255) ** 2) / (2 * sigma * sigma)));

function binomialBlur(luma: Uint8Array, { width, height }: RawImage): Uint8Array {
  const blurred = new Uint8Array(luma.length);
  for (let y = 0; y < height; y++) {
    const own = y * width;
    const above = Math.max(0, y - 1) * width;
    const below = Math.min(height - 1, y + 1) * width;
    const column = (x: number) => (luma[above + x] ?? 0) + 2 * (luma[own + x] ?? 0) + (luma[below + x] ?? 0);
    let left = column(0);
    let centre = left;
    for (let x = 0; x < width; x++) {
      const right = column(Math.min(width - 1, x + 1));
      blurred[own + x] = (left + 2 * centre + right + 8) >> 4;
      left = centre;
      centre = right;
    }
  }
  return blurred;
}

/** The neighbours of a pixel: their distances, and their weights by distance. */
interface Window {
  dx: Int32Array;
  dy: Int32Array;
  nearness: Float32Array;
}

/** A square around the pixel; in a large image with gaps, as its noise is coarser and time is limited. */
function windowFor({ width, height }: Size): Window {
  const { radius, step } = WINDOWS.find(({ pixels }) => width * height <= pixels) ?? COARSE;
  const steps = Array.from({ length: 2 * radius + 1 }, (_, index) => (index - radius) * step);
  const places = steps.flatMap((dy) => steps.map((dx) => ({ dx, dy })));
  const sigma = (SPATIAL_SIGMA * (radius * step)) / 3;
  return {
    dx: Int32Array.from(places, ({ dx }) => dx),
    dy: Int32Array.from(places, ({ dy }) => dy),
    nearness: Float32Array.from(places, ({ dx, dy }) => Math.exp(-(dx * dx + dy * dy) / (2 * sigma * sigma))),
  };
}

function filter(image: RawImage, guide: Uint8Array, range: Float32Array): RawImage {
  const { pixels, width, height } = image;
  const { dx, dy, nearness } = windowFor(image);
  const reach = Math.max(...dx);
  const filtered = Buffer.allocUnsafe(pixels.length);
  const inner = dx.map((across, index) => (dy[index] ?? 0) * width + across);
  for (let y = 0, own = 0; y < height; y++) {
    const isInner = y >= reach && y < height - reach;
    for (let x = 0; x < width; x++, own++) {
      const offsets =
        isInner && x >= reach && x < width - reach ? inner : clampedOffsets({ dx, dy }, { x, y }, image);
      const level = (guide[own] ?? 0) + 255;
      let [red, green, blue, weight] = [0, 0, 0, 1e-9];
      for (let index = 0; index < offsets.length; index++) {
        const other = own + (offsets[index] ?? 0);
        const share = (nearness[index] ?? 0) * (range[level - (guide[other] ?? 0)] ?? 0);
        const at = other * 3;
        red += share * (pixels[at] ?? 0);
        green += share * (pixels[at + 1] ?? 0);
        blue += share * (pixels[at + 2] ?? 0);
        weight += share;
      }
      filtered[own * 3] = red / weight + 0.5;
      filtered[own * 3 + 1] = green / weight + 0.5;
      filtered[own * 3 + 2] = blue / weight + 0.5;
    }
  }
  return { ...image, pixels: filtered };
}

/** Offsets of the neighbours, of which those outside of the image are replaced by the edge. */
function clampedOffsets(
  { dx, dy }: Pick<Window, 'dx' | 'dy'>,
  { x, y }: { x: number; y: number },
  { width, height }: Size,
): Int32Array {
  return dx.map((across, index) => {
    const column = clamp(x + across, 0, width - 1);
    return (clamp(y + (dy[index] ?? 0), 0, height - 1) - y) * width + column - x;
  });
}
