import type { RawImage } from '../../imaging/libvips.ts';
import { gradientAt, type Rgb } from './colour.ts';
import { type Curve, clamp, curveOf } from './curve.ts';
import { DUSK, HOURS, type Hour } from './hours.ts';
import { keep, type Mask } from './masks.ts';
import type { Operation } from './operation.ts';
import { findPanes } from './panes.ts';
import { lumaAt } from './plane.ts';
import { changePlants } from './season.ts';
import { findSky, measureSky } from './sky.ts';
import { grainIndex, grainOf } from './texture.ts';
import { addGlow, type GlowRow, glowReader } from './window-glow.ts';

/**
 * Gives the sky the colours of the hour, with its clouds, and everything below the light of the hour. Window panes
 * that are found glow.
 */
export const duskOutside: Operation = async (image, { timeShift, season, windowGlow }) => {
  const found = await findSky(image);
  if (found === undefined) return undefined;
  const sky = season === undefined ? found : keep(found, image);
  if (season !== undefined) await changePlants(image, { season });
  const hour = HOURS.get(timeShift) ?? DUSK;
  const panes = windowGlow === 'false' ? undefined : await findPanes(image);
  const glowAt = panes && glowReader(image, panes, hour.glow);
  const { luma: skyLuma, horizon } = measureSky(image, sky);
  const scene = { ground: curvesOf(image, sky, hour), skyLuma, grain: grainOf(0) };
  for (let y = 0; y < image.height; y++) {
    const colour = gradientAt(hour.sky, y / horizon);
    editRow(image, y, { ...scene, colour, glow: glowAt?.(y), mask: sky.row(y) });
  }
  return image;
};

/** Luma of a scene that is neither dark nor bright. */
const MIDDLE = 105;

/** The light of the hour by channel; a scene that is dark already loses less. */
function curvesOf({ pixels, width, height }: RawImage, sky: Mask, { light, gamma }: Hour): Curve[] {
  const step = Math.max(1, Math.floor(height / 200));
  let [sum, weight] = [0, 1e-9];
  for (let y = 0; y < height; y += step) {
    const mask = sky.row(y);
    for (let x = 0; x < width; x += step) {
      sum += (1 - (mask[x] ?? 0)) * lumaAt(pixels, (y * width + x) * 3);
      weight += 1 - (mask[x] ?? 0);
    }
  }
  const lift = clamp(Math.sqrt((MIDDLE * weight) / Math.max(1, sum)), 0.9, 1.3);
  return light.map((gain) => curveOf((share) => lift * gain * share ** gamma));
}

interface Row {
  mask: Float32Array;
  colour: Rgb;
  skyLuma: number;
  ground: readonly Curve[];
  glow: GlowRow | undefined;
  grain: Float32Array;
}

/** How strongly clouds differ from the sky, and levels of noise that keep its gradient from showing steps. */
const CLOUDS = 0.55;
const DITHER = 2;

function editRow({ pixels, width }: RawImage, y: number, row: Row): void {
  const { mask, colour, skyLuma, ground, glow, grain } = row;
  for (let x = 0, at = y * width * 3; x < width; x++, at += 3) {
    const share = mask[x] ?? 0;
    const daylight = lumaAt(pixels, at);
    const clouds = 1 + (CLOUDS * (daylight - skyLuma)) / 128;
    const dither = 0.5 + DITHER * (grain[grainIndex(x, y)] ?? 0);
    for (let channel = 0; channel < 3; channel++) {
      const dimmed = ground[channel]?.[pixels[at + channel] ?? 0] ?? 0;
      const lit = (colour[channel] ?? 0) * clouds + dither;
      pixels[at + channel] = Math.min(255, Math.max(0, dimmed + (lit - dimmed) * share));
    }
    if (glow !== undefined) addGlow(pixels, at, daylight, glow, x);
  }
}
