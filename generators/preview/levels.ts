import { openRaw, type RawImage, toRaw } from '../../imaging/libvips.ts';
import { LUMA, type Rgb } from './layers.ts';

/** Statistics of an image, in levels 0 to 255. */
export interface Levels {
  /** The 1st percentile of the luma. */
  dark: number;
  /** The 99.5th percentile of the luma. */
  bright: number;
  /** The mean luma. */
  mean: number;
  /** Mean colour of the brightest 5 %: what should be white. */
  white: Rgb;
}

/** Measures a thumbnail, which also averages single hot pixels away. */
export async function measureLevels(image: RawImage): Promise<Levels> {
  const { pixels } = await toRaw(openRaw(image).resize({ width: 160, height: 160, fit: 'inside' }));
  const colours = Array.from({ length: pixels.length / 3 }, (_, index) => {
    const colour: Rgb = [pixels[index * 3] ?? 0, pixels[index * 3 + 1] ?? 0, pixels[index * 3 + 2] ?? 0];
    return { colour, luma: colour[0] * LUMA[0] + colour[1] * LUMA[1] + colour[2] * LUMA[2] };
  }).sort((a, b) => a.luma - b.luma);
  const lumaAt = (share: number) => colours[Math.floor((colours.length - 1) * share)]?.luma ?? 0;
  const brightest = colours.slice(Math.floor(colours.length * 0.95)).map(({ colour }) => colour);
  const meanOf = (channel: 0 | 1 | 2) => average(brightest.map((colour) => colour[channel]));
  return {
    dark: lumaAt(0.01),
    bright: lumaAt(0.995),
    mean: average(colours.map(({ luma }) => luma)),
    white: [meanOf(0), meanOf(1), meanOf(2)],
  };
}

const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
