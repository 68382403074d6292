import type { RawImage, Size } from '../../imaging/libvips.ts';
import { boxBlur, lumaOf, type Plane, rowReader } from './plane.ts';

/**
 * A smooth map that follows the edges of the image: `slope * luma + offset` for each of its pixels. The fast guided
 * filter of He and Sun (arXiv 1505.00996): the two factors are computed on a thumbnail.
 */
export interface GuidedMap {
  slope: Plane;
  offset: Plane;
}

export interface Guidance {
  /** Radius of the filter as a share of the longest side. */
  radius: number;
  /** Differences of luma below this are smoothed away, differences above it are edges. */
  edge: number;
}

/** The image itself, smoothed up to its edges: the light without the detail. */
export function smoothLight(thumbnail: RawImage, guidance: Guidance): GuidedMap {
  const luma = lumaOf(thumbnail);
  return guide(luma, luma, guidance);
}

/** Fits `target` to `luma`, both of the same size. */
export function guide(luma: Plane, target: Plane, { radius, edge }: Guidance): GuidedMap {
  const reach = Math.max(1, Math.round(radius * Math.max(luma.width, luma.height)));
  const mean = boxBlur(luma, reach);
  const square = boxBlur(product(luma, luma), reach);
  // The light of the image itself is the most frequent target, and costs half as much.
  const own = target === luma;
  const goal = own ? mean : boxBlur(target, reach);
  const mixed = own ? square : boxBlur(product(luma, target), reach);
  const slope: Plane = { ...mean, values: new Float32Array(mean.values.length) };
  const offset: Plane = { ...slope, values: new Float32Array(mean.values.length) };
  for (let at = 0; at < mean.values.length; at++) {
    const [from, to] = [mean.values[at] ?? 0, goal.values[at] ?? 0];
    const variance = (square.values[at] ?? 0) - from * from;
    const factor = ((mixed.values[at] ?? 0) - from * to) / (variance + edge * edge);
    slope.values[at] = factor;
    offset.values[at] = to - factor * from;
  }
  return { slope: boxBlur(slope, reach), offset: boxBlur(offset, reach) };
}

function product(a: Plane, b: Plane): Plane {
  const values = new Float32Array(a.values.length);
  for (let at = 0; at < values.length; at++) values[at] = (a.values[at] ?? 0) * (b.values[at] ?? 0);
  return { ...a, values };
}

/** Reads the map at the size of the full image. The two rows are overwritten by the next call. */
export function guidedRows(
  map: GuidedMap,
  size: Size,
): (y: number) => { slope: Float32Array; offset: Float32Array } {
  const [slopeAt, offsetAt] = [rowReader(map.slope, size), rowReader(map.offset, size)];
  return (y) => ({ slope: slopeAt(y), offset: offsetAt(y) });
}
