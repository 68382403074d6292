import type { RawImage, Size } from '../../imaging/libvips.ts';
import { type Guidance, type GuidedMap, guide, guidedRows } from './guided.ts';
import { lumaAt, lumaOf, type Plane } from './plane.ts';

/** Part of an image, from 0 (outside) to 1, with the edges of the image itself. */
export interface Mask {
  /** The weights of a row; overwritten by the next call. */
  row: (y: number) => Float32Array;
  share: number;
}

/** Narrow, because a mask must not reach beyond the edge next to it. */
const MATTE: Guidance = { radius: 0.02, edge: 6 };

/** Refines a mask made on a thumbnail to the edges of the full image. */
export function refine(image: RawImage, thumbnail: RawImage, selected: Plane): Mask {
  const map: GuidedMap = guide(lumaOf(thumbnail), selected, MATTE);
  const rowsAt = guidedRows(map, image);
  const row = new Float32Array(image.width);
  const { pixels, width } = image;
  return {
    share: selected.values.reduce((sum, value) => sum + value, 0) / selected.values.length,
    row(y) {
      const { slope, offset } = rowsAt(y);
      for (let x = 0, at = y * width * 3; x < width; x++, at += 3) {
        const value = (slope[x] ?? 0) * lumaAt(pixels, at) + (offset[x] ?? 0);
        // Steeper than the fit, so that the inside and the outside are whole.
        row[x] = Math.min(1, Math.max(0, (value - 0.15) / 0.7));
      }
      return row;
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
