import { openRaw, type RawImage, type Size, toRaw } from '../../imaging/libvips.ts';

/** One value per pixel, rows from the top. */
export interface Plane extends Size {
  values: Float32Array;
}

export function planeOf({ width, height }: Size, valueAt: (index: number) => number): Plane {
  const values = new Float32Array(width * height);
  for (let index = 0; index < values.length; index++) values[index] = valueAt(index);
  return { width, height, values };
}

/** The value below which this share of the values lies. */
export function percentile(values: Float32Array, share: number): number {
  return Float32Array.from(values).sort()[Math.floor((values.length - 1) * share)] ?? 0;
}

export function meanOf(values: Uint8Array | Float32Array | Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** A small copy of the image for estimates, with this longest side at most. */
export function thumbnailOf(image: RawImage, longestSide: number): Promise<RawImage> {
  if (Math.max(image.width, image.height) <= longestSide) return Promise.resolve(image);
  // Linear is fast, and smooth enough: libvips widens it when it reduces.
  const size = { width: longestSide, height: longestSide, fit: 'inside', kernel: 'linear' } as const;
  return toRaw(openRaw(image).resize(size));
}

/** Luma of Rec. 601, which JPEG uses, from 0 to 255. */
export const lumaAt = (pixels: Uint8Array, at: number) =>
  0.299 * (pixels[at] ?? 0) + 0.587 * (pixels[at + 1] ?? 0) + 0.114 * (pixels[at + 2] ?? 0);

/** The channels of the pixel with this index. */
export const colourAt = (pixels: Uint8Array, index: number) =>
  [pixels[index * 3] ?? 0, pixels[index * 3 + 1] ?? 0, pixels[index * 3 + 2] ?? 0] as const;

export function lumaOf({ pixels, width, height }: RawImage): Plane {
  const values = new Float32Array(width * height);
  for (let index = 0; index < values.length; index++) values[index] = lumaAt(pixels, index * 3);
  return { values, width, height };
}

/** The mean over a square of `2 * radius + 1` pixels, clipped at the edges. */
export function boxBlur(plane: Plane, radius: number): Plane {
  return transposedBlur(transposedBlur(plane, radius), radius);
}

/** Blurs every row and swaps rows with columns, so that two calls blur both ways. */
function transposedBlur({ values, width, height }: Plane, radius: number): Plane {
  const blurred = new Float32Array(values.length);
  for (let y = 0; y < height; y++) {
    const row = y * width;
    let sum = 0;
    for (let x = 0; x < Math.min(radius, width); x++) sum += values[row + x] ?? 0;
    for (let x = 0; x < width; x++) {
      if (x + radius < width) sum += values[row + x + radius] ?? 0;
      if (x > radius) sum -= values[row + x - radius - 1] ?? 0;
      const count = Math.min(width - 1, x + radius) - Math.max(0, x - radius) + 1;
      blurred[x * height + y] = sum / count;
    }
  }
  return { values: blurred, width: height, height: width };
}

/**
 * Reads a small plane at the size of a large image, row by row, by linear interpolation; fastest from the top. Each row
 * is overwritten by the next call.
 */
export function rowReader(plane: Plane, { width, height }: Size): (y: number) => Float32Array {
  const [columns, rows] = [stepsOf(plane.width, width), stepsOf(plane.height, height)];
  let [upper, lower, held] = [new Float32Array(width), new Float32Array(width), -2];
  const large = new Float32Array(width);
  return (y) => {
    const from = rows.from[y] ?? 0;
    if (from !== held) {
      [upper, lower] = [lower, upper];
      if (from !== held + 1) stretchRow(upper, plane, from, columns);
      stretchRow(lower, plane, Math.min(from + 1, plane.height - 1), columns);
      held = from;
    }
    mixRows(large, upper, lower, rows.share[y] ?? 0);
    return large;
  };
}

// Loops over pixels are functions of the module: V8 would optimise those of a closure anew for each image.
function stretchRow(row: Float32Array, { values, width }: Plane, y: number, { from, share }: Steps): void {
  for (let x = 0; x < row.length; x++) {
    const at = from[x] ?? 0;
    const left = values[y * width + at] ?? 0;
    const right = values[y * width + Math.min(width - 1, at + 1)] ?? 0;
    row[x] = left + (right - left) * (share[x] ?? 0);
  }
}

function mixRows(row: Float32Array, upper: Float32Array, lower: Float32Array, share: number): void {
  for (let x = 0; x < row.length; x++) {
    const above = upper[x] ?? 0;
    row[x] = above + ((lower[x] ?? 0) - above) * share;
  }
}

/** For each large coordinate, the small one at or below it, and the share of the next one. */
interface Steps {
  from: Uint16Array;
  share: Float32Array;
}

function stepsOf(small: number, large: number): Steps {
  const steps = { from: new Uint16Array(large), share: new Float32Array(large) };
  for (let at = 0; at < large; at++) {
    const place = Math.min(small - 1, Math.max(0, ((at + 0.5) * small) / large - 0.5));
    const from = Math.floor(place);
    steps.from[at] = from;
    steps.share[at] = place - from;
  }
  return steps;
}
