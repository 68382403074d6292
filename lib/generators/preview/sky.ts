import type { RawImage } from '../../imaging/libvips.ts';
import { type Channels, flood, type Mask, refine } from './masks.ts';
import { boxBlur, colourAt, lumaAt, lumaOf, meanOf, planeOf, thumbnailOf } from './plane.ts';
import { withGaps } from './sky-gaps.ts';

const SIDE = 480;
/** Of the image: less is a gap between roofs, more a photo without a subject. */
const SHARES = { least: 0.03, most: 0.85 };
/** Of the width: a sky covers at least so much of the upper edge, and at most so much of the lower one. */
const ALONG = { top: 0.15, bottom: 0.05 };
/** A larger step of luma between neighbours is an edge. */
const SMOOTH = 14;
/** Haze at the horizon is brown or grey, but it joins the sky without a step, and covers less than the sky itself. */
const HAZE = { step: 4, darkest: 96, spread: 48, share: 0.4 };
/** Sky differs from roofs, walls and leaves most in blue. */
const SKYLIGHT: Channels = [0.1, 0.3, 0.6];

/** The sky of an exterior photo; undefined when none is found. */
export async function findSky(image: RawImage): Promise<Mask | undefined> {
  const thumbnail = await thumbnailOf(image, SIDE);
  const { width } = thumbnail;
  const sky = floodSky(thumbnail);
  const along = meanOf(sky.subarray(0, width));
  const share = meanOf(sky);
  const bottom = meanOf(sky.subarray(-width));
  if (along < ALONG.top || bottom > ALONG.bottom || share < SHARES.least || share > SHARES.most)
    return undefined;
  addHaze(thumbnail, sky);
  const selected = planeOf(thumbnail, (at) => sky[at] ?? 0);
  return refine(image, thumbnail, withGaps(thumbnail, selected), SKYLIGHT);
}

/** What is reached from the upper edge through colours of the sky without crossing an edge. */
function floodSky(thumbnail: RawImage): Uint8Array {
  const { width, height } = thumbnail;
  const luma = lumaOf(thumbnail).values;
  const reached = new Uint8Array(width * height);
  flood(
    thumbnail,
    Array.from({ length: width }, (_, x) => x),
    (to, from) => isSkyColour(thumbnail, to) && Math.abs((luma[to] ?? 0) - (luma[from] ?? 0)) < SMOOTH,
    reached,
  );
  return reached;
}

/** Blue, or bright and nearly grey; lower in the image it has to be brighter. */
function isSkyColour({ pixels, width, height }: RawImage, index: number): boolean {
  const [red, green, blue] = colourAt(pixels, index);
  const depth = Math.floor(index / width) / height;
  const spread = Math.max(red, green, blue) - Math.min(red, green, blue);
  const isBlue = blue >= green && green >= red - 4 && blue > 90 && blue - red > 18;
  const isCloud = Math.min(red, green, blue) > 162 + 50 * depth && spread < 34 && blue >= red - 9;
  return isBlue || isCloud;
}

/** Follows the sky down into the haze. What turns out larger than haze is the ground and stays out. */
function addHaze(thumbnail: RawImage, sky: Uint8Array): void {
  const { pixels } = thumbnail;
  const luma = boxBlur(lumaOf(thumbnail), 1).values;
  const isHaze = (to: number, from: number) => {
    const levels = colourAt(pixels, to);
    const [darkest, brightest] = [Math.min(...levels), Math.max(...levels)];
    return (
      darkest > HAZE.darkest &&
      brightest - darkest < HAZE.spread &&
      Math.abs((luma[to] ?? 0) - (luma[from] ?? 0)) < HAZE.step
    );
  };
  const before = sky.reduce((sum, value) => sum + value, 0);
  const starts = Array.from(sky.keys()).filter((at) => sky[at] === 1);
  const reached = new Uint8Array(sky.length);
  flood(thumbnail, starts, isHaze, reached);
  const added = reached.reduce((sum, value, at) => sum + (sky[at] === 1 ? 0 : value), 0);
  if (added > HAZE.share * before) return;
  for (let at = 0; at < sky.length; at++) if (reached[at] === 1) sky[at] = 1;
}

export interface SkyMeasures {
  /** Means over the sky: luma, and how much more blue than red it has. */
  luma: number;
  blueness: number;
  /** The row in which the sky ends. */
  horizon: number;
}

export function measureSky({ pixels, width, height }: RawImage, sky: Mask): SkyMeasures {
  const step = Math.max(1, Math.floor(height / 200));
  let [luma, blueness, weight, horizon] = [0, 0, 1e-9, 1];
  for (let y = 0; y < height; y += step) {
    const mask = sky.row(y);
    let covered = 0;
    for (let x = 0; x < width; x += step) {
      const share = mask[x] ?? 0;
      const at = (y * width + x) * 3;
      luma += share * lumaAt(pixels, at);
      blueness += share * ((pixels[at + 2] ?? 0) - (pixels[at] ?? 0));
      covered += share;
    }
    weight += covered;
    if (covered > (0.06 * width) / step) horizon = y;
  }
  return { luma: luma / weight, blueness: blueness / weight, horizon: Math.max(horizon, height / 4) };
}
