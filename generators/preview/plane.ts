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

export const lumaOf = (image: RawImage): Plane => planeOf(image, (index) => lumaAt(image.pixels, index * 3));

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

/** Reads a small plane at the size of a large image, row by row, by linear interpolation. */
export function rowReader(plane: Plane, { width, height }: Size): (y: number) => Float32Array {
  const columns = stepsOf(plane.width, width);
  const rows = stepsOf(plane.height, height);
  const small = new Float32Array(plane.width);
  const large = new Float32Array(width);
  return (y) => {
    const top = (rows.from[y] ?? 0) * plane.width;
    const bottom = Math.min(top + plane.width, plane.values.length - plane.width);
    const share = rows.share[y] ?? 0;
    for (let x = 0; x < small.length; x++) {
      const upper = plane.values[top + x] ?? 0;
      small[x] = upper + ((plane.values[bottom + x] ?? 0) - upper) * share;
    }
    for (let at = 0; at < small.length; at++) {
      const left = small[at] ?? 0;
      const step = (small[at + 1] ?? left) - left;
      const end = columns.ends[at] ?? 0;
      for (let x = at === 0 ? 0 : (columns.ends[at - 1] ?? 0); x < end; x++)
        large[x] = left + step * (columns.share[x] ?? 0);
    }
    return large;
  };
}

interface Steps {
  /** For each large coordinate, the small one at or below it, and the share of the next one. */
  from: Uint16Array;
  share: Float32Array;
  /** For each small coordinate, where its large ones end. */
  ends: Uint32Array;
}

function stepsOf(small: number, large: number): Steps {
  const steps = {
    from: new Uint16Array(large),
    share: new Float32Array(large),
    ends: new Uint32Array(small).fill(large),
  };
  for (let at = 0; at < large; at++) {
    const place = Math.min(small - 1, Math.max(0, ((at + 0.5) * small) / large - 0.5));
    const from = Math.floor(place);
    steps.from[at] = from;
    steps.share[at] = place - from;
    for (let below = from - 1; below >= 0 && steps.ends[below] === large; below--) steps.ends[below] = at;
  }
  return steps;
}
