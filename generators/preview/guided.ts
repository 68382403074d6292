import type { RawImage, Size } from '../../imaging/libvips.ts';
import { boxBlur, lumaOf, type Plane, planeOf, rowReader } from './plane.ts';

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
  const product = (a: Plane, b: Plane) =>
    boxBlur(
      planeOf(a, (at) => (a.values[at] ?? 0) * (b.values[at] ?? 0)),
      reach,
    ).values;
  const means = { luma: boxBlur(luma, reach).values, target: boxBlur(target, reach).values };
  const squares = product(luma, luma);
  const products = product(luma, target);
  const slope = planeOf(luma, (at) => {
    const mean = means.luma[at] ?? 0;
    const variance = (squares[at] ?? 0) - mean * mean;
    return ((products[at] ?? 0) - mean * (means.target[at] ?? 0)) / (variance + edge * edge);
  });
  const offset = planeOf(
    luma,
    (at) => (means.target[at] ?? 0) - (slope.values[at] ?? 0) * (means.luma[at] ?? 0),
  );
  return { slope: boxBlur(slope, reach), offset: boxBlur(offset, reach) };
}

/** Reads the map at the size of the full image. The two rows are overwritten by the next call. */
export function guidedRows(
  map: GuidedMap,
  size: Size,
): (y: number) => { slope: Float32Array; offset: Float32Array } {
  const [slopeAt, offsetAt] = [rowReader(map.slope, size), rowReader(map.offset, size)];
  return (y) => ({ slope: slopeAt(y), offset: offsetAt(y) });
}
