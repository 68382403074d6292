import type { RawImage } from '../../imaging/libvips.ts';
import { gradientAt, type Rgb } from './colour.ts';
import { curveOf } from './curve.ts';
import type { Mask } from './masks.ts';
import type { Operation } from './operation.ts';
import { boxBlur, lumaAt, lumaOf, type Plane, percentile, planeOf, rowReader, thumbnailOf } from './plane.ts';
import { findWindows } from './windows.ts';

/** Channel gains of the room. */
const LAMPLIGHT: Rgb = [0.74, 0.62, 0.47];
const UNLIT: Rgb = [0.36, 0.4, 0.54];
const GAMMA = 1.18;

/** The view, from the top of the image to the bottom. */
const EVENING: readonly Rgb[] = [
  [28, 44, 92],
  [58, 76, 132],
  [126, 114, 146],
];

/** Turns the view through the windows blue, and lights the room with lamps or hardly at all. */
export const duskInside: Operation = async (image, { hasWindows, interiorLights }) => {
  const lit = interiorLights !== 'false';
  const windows = hasWindows === 'false' ? undefined : await findWindows(image);
  if (windows === undefined && hasWindows !== 'false') return undefined;
  const glow = lit ? rowReader(await lampGlow(image), image) : undefined;
  const room = (lit ? LAMPLIGHT : UNLIT).map((gain) => curveOf((share) => gain * share ** GAMMA));
  for (let y = 0; y < image.height; y++) {
    const view = gradientAt(EVENING, y / image.height);
    editRow(image, y, { room, view, glow: glow?.(y), mask: windows?.row(y) });
  }
  return image;
};

interface Row {
  room: readonly Float32Array[];
  view: Rgb;
  glow: Float32Array | undefined;
  mask: ReturnType<Mask['row']> | undefined;
}

function editRow({ pixels, width }: RawImage, y: number, { room, view, glow, mask }: Row): void {
  for (let x = 0, at = y * width * 3; x < width; x++, at += 3) {
    const share = mask?.[x] ?? 0;
    const near = 1 + (glow?.[x] ?? 0);
    const brightness = (lumaAt(pixels, at) / 255) ** 1.4;
    for (let channel = 0; channel < 3; channel++) {
      const level = pixels[at + channel] ?? 0;
      const dimmed = Math.min(level, (room[channel]?.[level] ?? 0) * near);
      const dark = (view[channel] ?? 0) * brightness + 0.1 * level;
      pixels[at + channel] = dimmed + (dark - dimmed) * share;
    }
  }
}

/** Bright areas that are no windows, unless they are too large for lamps. */
const MOST_LAMPS = 0.05;

/** How much brighter it is around the lamps, as a factor above 1. */
async function lampGlow(image: RawImage): Promise<Plane> {
  const thumbnail = await thumbnailOf(image, 160);
  const { pixels } = thumbnail;
  const luma = lumaOf(thumbnail).values;
  const bright = Math.min(250, Math.max(225, percentile(luma, 0.92) + 12));
  const lamps = planeOf(thumbnail, (at) => {
    const isWarm = (pixels[at * 3] ?? 0) > (pixels[at * 3 + 2] ?? 0) + 12;
    return (luma[at] ?? 0) > (isWarm ? bright : 244) ? 1 : 0;
  });
  const share = lamps.values.reduce((sum, value) => sum + value, 0) / lamps.values.length;
  if (share > MOST_LAMPS) lamps.values.fill(0);
  const [near, far] = [boxBlur(boxBlur(lamps, 5), 5), boxBlur(boxBlur(lamps, 16), 16)];
  return planeOf(thumbnail, (at) => Math.min(0.6, 0.8 * (near.values[at] ?? 0) + 4 * (far.values[at] ?? 0)));
}
