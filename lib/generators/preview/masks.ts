import type { RawImage, Size } from '../../imaging/libvips.ts';
import { guide, guidedRows } from './guided.ts';
import { meanOf, type Plane, planeOf } from './plane.ts';

/** Part of an image, from 0 (outside) to 1, with the edges of the image itself. */
export interface Mask {
  /** The weights of a row; overwritten by the next call. */
  row: (y: number) => Float32Array;
  share: number;
}

/** What a mask follows the edges of: a mix of the channels, whose weights sum to 1. */
export type Channels = readonly [red: number, green: number, blue: number];
const LUMA: Channels = [0.299, 0.587, 0.114];

/** In pixels of the thumbnail; narrow, because a wider mask shows as a halo around whatever it ends at. */
const REACH = 2;
const EDGE = 6;

/** Refines a mask made on a thumbnail to the edges of the full image. */
export function refine(image: RawImage, thumbnail: RawImage, selected: Plane, channels = LUMA): Mask {
  const [red, green, blue] = channels;
  const valueAt = (pixels: Uint8Array, at: number) =>
    red * (pixels[at] ?? 0) + green * (pixels[at + 1] ?? 0) + blue * (pixels[at + 2] ?? 0);
  const guided = planeOf(thumbnail, (index) => valueAt(thumbnail.pixels, index * 3));
  const radius = REACH / Math.max(thumbnail.width, thumbnail.height);
  const rowsAt = guidedRows(guide(guided, selected, { radius, edge: EDGE }), image);
  const row = new Float32Array(image.width);
  const { pixels, width } = image;
  return {
    share: meanOf(selected.values),
    row(y) {
      const { slope, offset } = rowsAt(y);
      for (let x = 0, at = y * width * 3; x < width; x++, at += 3) {
        const value = (slope[x] ?? 0) * valueAt(pixels, at) + (offset[x] ?? 0);
        // Steeper than the fit, so that the inside and the outside are whole.
        row[x] = Math.min(1, Math.max(0, (value - 0.15) / 0.7));
      }
      return row;
    },
  };
}

/** The mask of an image at the pixels of its thumbnail. */
export function shrink({ row }: Mask, image: Size, { width, height }: Size): Plane {
  const values = new Float32Array(width * height);
  for (let y = 0; y < height; y++) {
    const wide = row(Math.min(image.height - 1, Math.floor(((y + 0.5) * image.height) / height)));
    for (let x = 0; x < width; x++)
      values[y * width + x] = wide[Math.floor(((x + 0.5) * image.width) / width)] ?? 0;
  }
  return { width, height, values };
}

/** A copy of the mask that no longer follows the pixels of the image, for edits in more than one pass. */
export function keep({ row, share }: Mask, { width, height }: Size): Mask {
  const values = new Uint8Array(width * height);
  const kept = new Float32Array(width);
  for (let y = 0; y < height; y++)
    row(y).forEach((value, x) => {
      values[y * width + x] = 255 * value;
    });
  return {
    share,
    row(y) {
      for (let x = 0; x < width; x++) kept[x] = (values[y * width + x] ?? 0) / 255;
      return kept;
    },
  };
}

/**
 * Marks in `reached` the pixels that are reached from the starts through neighbours that pass, and returns those that
 * were not marked before.
 */
export function flood(
  { width, height }: Size,
  starts: readonly number[],
  passes: (to: number, from: number) => boolean,
  reached: Uint8Array = new Uint8Array(width * height),
): number[] {
  const found = starts.filter((at) => reached[at] !== 1 && passes(at, at));
  for (const at of found) reached[at] = 1;
  for (let next = 0; next < found.length; next++) {
    const at = found[next] ?? 0;
    const x = at % width;
    for (const to of [x > 0 ? at - 1 : -1, x < width - 1 ? at + 1 : -1, at - width, at + width]) {
      if (to < 0 || to >= reached.length || reached[to] === 1 || !passes(to, at)) continue;
      reached[to] = 1;
      found.push(to);
    }
  }
  return found;
}
