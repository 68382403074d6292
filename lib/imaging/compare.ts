import type { Sharp } from 'sharp';
import { type RawImage, rejectAsDamaged, type Size, toRaw } from './libvips.ts';
import { scaleToLongestSide } from './size.ts';

/** Longest side of the small copies in which an input and its result are compared. */
const LONGEST_SIDE = 256;

/** Grey pixels, one byte each, rows from the top. */
export interface GreyImage extends Size {
  pixels: Uint8Array;
}

/** Red, green and blue. */
const CHANNELS = 3;
/** Their shares of the brightness (ITU-R BT.601). */
const [RED, GREEN, BLUE] = [0.299, 0.587, 0.114];

/** Size of the copy of an image of this size. */
export const referenceSize = (size: Size): Size => scaleToLongestSide(size, LONGEST_SIDE);

/** A copy of exactly this size, to compare another one with. @throws ImageError */
export const toReference = (pipeline: Sharp, { width, height }: Size): Promise<RawImage> =>
  toRaw(pipeline.resize({ width, height, fit: 'fill' })).catch(rejectAsDamaged);

export function toGrey({ pixels, width, height }: RawImage): GreyImage {
  const grey = Uint8Array.from({ length: width * height }, (_, i) => {
    const [red = 0, green = 0, blue = 0] = pixels.subarray(i * CHANNELS, (i + 1) * CHANNELS);
    return Math.round(RED * red + GREEN * green + BLUE * blue);
  });
  return { pixels: grey, width, height };
}

/**
 * Sum of the absolute Sobel gradients from which an edge of the input counts as strong; its match
 * may be weaker.
 */
const STRONG = 160;
const MATCHING = 80;

/** Standard deviation of the brightness, 0 to 127.5. */
export function contrast({ pixels }: GreyImage): number {
  const mean = pixels.reduce((sum, value) => sum + value, 0) / pixels.length;
  return Math.sqrt(pixels.reduce((sum, value) => sum + (value - mean) ** 2, 0) / pixels.length);
}

/** Side of the blocks in which images are compared, in pixels. */
const BLOCK = 8;
/**
 * Share of the contrast around an edge by which it may overshoot there: sharpening and resizing do
 * that.
 */
const OVERSHOOT = 0.5;

/**
 * The difference, 0 to 255, of the blocks and channels that differ most. Over a whole image it
 * would miss what a tool changes on purpose: a lamp that is taken away changes a thousandth of the
 * photo. In grey it would miss a wall that gets another colour of the same brightness. A value
 * differs by its distance from those around it in the other image, so what moves, sharpens or
 * softens edges by a pixel makes little difference. Both directions count: where a wire is taken
 * away, the sky is among the values around the wire, but the wire is not among those of the sky.
 */
export function largestDifference(a: RawImage, b: RawImage): number {
  const { width, height } = a;
  const [valuesOfA, valuesOfB] = [smooth(a), smooth(b)];
  const [rangesOfA, rangesOfB] = [rangesOf(valuesOfA, width), rangesOf(valuesOfB, width)];
  const from = (values: Float32Array, ranges: Ranges) =>
    largestMean({ width, height }, (i) => distance(values, ranges, i));
  return Math.max(from(valuesOfA, rangesOfB), from(valuesOfB, rangesOfA));
}

/** The mean of the block and channel where it is largest. */
function largestMean({ width, height }: Size, valueAt: (i: number) => number): number {
  const rowOfBlocks = CHANNELS * Math.ceil(width / BLOCK);
  const sums = new Float64Array(rowOfBlocks * Math.ceil(height / BLOCK));
  const pixels = new Float64Array(sums.length);
  for (let i = 0; i < width * height * CHANNELS; i += 1) {
    const pixel = Math.floor(i / CHANNELS);
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    const block = Math.floor(y / BLOCK) * rowOfBlocks + CHANNELS * Math.floor(x / BLOCK) + (i % CHANNELS);
    sums[block] = (sums[block] ?? 0) + valueAt(i);
    pixels[block] = (pixels[block] ?? 0) + 1;
  }
  return Math.max(...sums.map((sum, block) => sum / (pixels[block] ?? 1)));
}

/**
 * Blurs by about a pixel, which takes most of the noise and the overshoot away, and leaves the mean
 * of a thin line.
 */
const smooth = ({ pixels, width }: RawImage): Float32Array =>
  combineNeighbours(
    Float32Array.from(pixels),
    width,
    (before, value, after) => (before + 2 * value + after) / 4,
  );

interface Ranges {
  least: Float32Array;
  most: Float32Array;
}

/** The least and the most of the values around each value, in its channel. */
const rangesOf = (values: Float32Array, width: number): Ranges => ({
  least: combineNeighbours(values, width, Math.min),
  most: combineNeighbours(values, width, Math.max),
});

/**
 * Combines each value with those on both sides in its row, then in its column. The border is its
 * own neighbour.
 */
function combineNeighbours(
  values: Float32Array,
  width: number,
  combine: (before: number, value: number, after: number) => number,
): Float32Array {
  const row = width * CHANNELS;
  const across = values.map((value, i) => {
    const before = i % row < CHANNELS ? value : values[i - CHANNELS];
    const after = i % row >= row - CHANNELS ? value : values[i + CHANNELS];
    return combine(before ?? value, value, after ?? value);
  });
  return across.map((value, i) => combine(across[i - row] ?? value, value, across[i + row] ?? value));
}

function distance(values: Float32Array, ranges: Ranges, i: number): number {
  const [value, least, most] = [values[i] ?? 0, ranges.least[i] ?? 0, ranges.most[i] ?? 0];
  return Math.max(0, Math.max(least - value, value - most) - OVERSHOOT * (most - least));
}

/**
 * Share of the strong edges of `input` that have an edge within one pixel in `result`, 0 to 1; 1
 * when there are none. Furniture hides some edges; a moved camera or wall loses most.
 */
export function edgeRecall(input: GreyImage, result: GreyImage): number {
  const [edges, found] = [gradients(input), gradients(result)];
  const { width, height } = input;
  let strong = 0;
  let kept = 0;
  for (let y = 1; y < height - 1; y += 1)
    for (let x = 1; x < width - 1; x += 1) {
      if ((edges[y * width + x] ?? 0) < STRONG) continue;
      strong += 1;
      if (isEdgeNear(found, width, x, y)) kept += 1;
    }
  return strong === 0 ? 1 : kept / strong;
}

function isEdgeNear(gradients: Uint16Array, width: number, x: number, y: number): boolean {
  for (let dy = -1; dy <= 1; dy += 1)
    for (let dx = -1; dx <= 1; dx += 1)
      if ((gradients[(y + dy) * width + x + dx] ?? 0) >= MATCHING) return true;
  return false;
}

/** Sums of the absolute horizontal and vertical Sobel gradients; 0 at the border. */
function gradients({ pixels, width, height }: GreyImage): Uint16Array {
  const sums = new Uint16Array(width * height);
  for (let y = 1; y < height - 1; y += 1)
    for (let x = 1; x < width - 1; x += 1) {
      const at = (dx: number, dy: number) => pixels[(y + dy) * width + x + dx] ?? 0;
      const across = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
      const down = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
      sums[y * width + x] = Math.abs(across) + Math.abs(down);
    }
  return sums;
}
