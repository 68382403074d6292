import type { RawImage, Size } from '../../imaging/libvips.ts';
import { flood, type Mask, shrink } from './masks.ts';
import { boxBlur, colourAt, lumaOf, type Plane, percentile, planeOf, thumbnailOf } from './plane.ts';

const SIDE = 160;
/** Of the image: larger bright areas are windows, ceilings and walls. */
const LARGEST = 0.012;

/** How much brighter it is around the lamps, as a factor above 1. What windows show is no lamp. */
export async function lampGlow(image: RawImage, windows: Mask | undefined): Promise<Plane> {
  const thumbnail = await thumbnailOf(image, SIDE);
  const isBright = lampTest(thumbnail);
  const isWindow = windowTest(image, thumbnail, windows);
  const isLamp = (at: number) => isBright(at) && !isWindow(at);
  const lamps = planeOf(thumbnail, () => 0);
  const seen = new Uint8Array(lamps.values.length);
  for (let start = 0; start < seen.length; start++) {
    const area = flood(thumbnail, [start], isLamp, seen);
    if (area.length < LARGEST * seen.length) for (const at of area) lamps.values[at] = 1;
  }
  const [near, far] = [boxBlur(boxBlur(lamps, 5), 5), boxBlur(boxBlur(lamps, 16), 16)];
  return planeOf(thumbnail, (at) => Math.min(0.6, 0.8 * (near.values[at] ?? 0) + 4 * (far.values[at] ?? 0)));
}

/** Far brighter than the room; what is not warm is brighter still. */
function lampTest(thumbnail: RawImage): (at: number) => boolean {
  const luma = lumaOf(thumbnail).values;
  const bright = Math.min(250, Math.max(225, percentile(luma, 0.92) + 12));
  return (at) => {
    const [red, , blue] = colourAt(thumbnail.pixels, at);
    return (luma[at] ?? 0) > (red > blue + 12 ? bright : 244);
  };
}

function windowTest(image: Size, thumbnail: Size, windows: Mask | undefined): (at: number) => boolean {
  if (windows === undefined) return () => false;
  const shown = shrink(windows, image, thumbnail);
  // Frames in the sun lie between panes.
  const near = boxBlur(shown, 3).values;
  return (at) => (near[at] ?? 0) > 0.1;
}
