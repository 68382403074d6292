import type { RawImage } from '../../imaging/libvips.ts';
import { gradientAt, type Rgb } from './colour.ts';
import { curveOf } from './curve.ts';
import type { Mask } from './masks.ts';
import type { Operation } from './operation.ts';
import { lumaAt } from './plane.ts';
import { findSky } from './sky.ts';

interface Hour {
  /** Channel gains that turn daylight on walls and ground into the light of the hour. */
  light: Rgb;
  /** Above 1, shadows get darker than the rest. */
  gamma: number;
  /** Colours from the top of the sky to the horizon. */
  sky: readonly Rgb[];
}

const DUSK: Hour = {
  light: [0.66, 0.58, 0.68],
  gamma: 1.25,
  sky: [
    [38, 54, 112],
    [82, 88, 150],
    [178, 128, 150],
    [246, 172, 128],
  ],
};

const HOURS: ReadonlyMap<string | undefined, Hour> = new Map([
  [
    'golden-hour',
    {
      light: [1.02, 0.88, 0.66],
      gamma: 1.1,
      sky: [
        [112, 150, 196],
        [186, 190, 190],
        [250, 212, 150],
        [255, 196, 118],
      ],
    },
  ],
  [
    'blue-hour',
    {
      light: [0.4, 0.46, 0.68],
      gamma: 1.3,
      sky: [
        [20, 38, 92],
        [44, 74, 144],
        [104, 126, 182],
        [164, 158, 186],
      ],
    },
  ],
  [
    'night',
    {
      light: [0.27, 0.3, 0.44],
      gamma: 1.4,
      sky: [
        [8, 12, 34],
        [16, 24, 58],
        [30, 42, 84],
        [48, 58, 98],
      ],
    },
  ],
]);

/** Gives the sky the colours of the hour, with its clouds, and everything below the light of the hour. */
export const duskOutside: Operation = async (image, { timeShift }) => {
  const sky = await findSky(image);
  if (sky === undefined) return undefined;
  const hour = HOURS.get(timeShift) ?? DUSK;
  const measured = measureSky(image, sky);
  const ground = hour.light.map((gain) => curveOf((share) => gain * share ** hour.gamma));
  const { pixels, width, height } = image;
  for (let y = 0; y < height; y++) {
    const mask = sky.row(y);
    const colour = gradientAt(hour.sky, y / measured.horizon);
    for (let x = 0, at = y * width * 3; x < width; x++, at += 3) {
      const share = mask[x] ?? 0;
      const clouds = 1 + 0.55 * ((lumaAt(pixels, at) - measured.luma) / 128);
      for (let channel = 0; channel < 3; channel++) {
        const dimmed = ground[channel]?.[pixels[at + channel] ?? 0] ?? 0;
        const lit = (colour[channel] ?? 0) * clouds;
        pixels[at + channel] = Math.min(255, Math.max(0, dimmed + (lit - dimmed) * share));
      }
    }
  }
  return image;
};

/** Mean luma of the sky, and the row in which it ends. */
export function measureSky(
  { pixels, width, height }: RawImage,
  sky: Mask,
): { luma: number; horizon: number } {
  const step = Math.max(1, Math.floor(height / 200));
  let [sum, weight, horizon] = [0, 1e-9, 1];
  for (let y = 0; y < height; y += step) {
    const mask = sky.row(y);
    let covered = 0;
    for (let x = 0; x < width; x += step) {
      const share = mask[x] ?? 0;
      sum += share * lumaAt(pixels, (y * width + x) * 3);
      covered += share;
    }
    weight += covered;
    if (covered > (0.06 * width) / step) horizon = y;
  }
  return { luma: sum / weight, horizon: Math.max(horizon, height / 4) };
}
