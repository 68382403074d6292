import type { Blend } from 'sharp';
import { openRaw, type RawImage, toRaw } from '../../imaging/libvips.ts';
import { blend, LUMA, lightMap, type Rgb, softLight } from './layers.ts';
import { measureLevels } from './levels.ts';
import type { Operation } from './operation.ts';

/** A contrast mask: the inverted map of the light, in soft light, lifts shadows and holds highlights. */
export const balanceLight: Operation = async (image) => {
  const { mean } = await measureLevels(image);
  return softLight(image, await lightMap(image, -0.55, 134 + 0.55 * mean));
};

/** Maps the dark end of the histogram to black and the bright end to white, within bounds so that fog stays fog. */
export const stretchContrast: Operation = async (image) => {
  const { dark, bright } = await measureLevels(image);
  const black = Math.min(dark, 40);
  const gain = 250 / (Math.max(bright, 180) - black);
  return toRaw(openRaw(image).linear(gain, -gain * black));
};

/** Scales the distance of the channels from their luma. */
export const saturate =
  (factor: number): Operation =>
  (image) => {
    const row = (channel: 0 | 1 | 2): Rgb => {
      const [red, green, blue] = LUMA.map((weight) => weight * (1 - factor));
      const grey: [number, number, number] = [red ?? 0, green ?? 0, blue ?? 0];
      grey[channel] += factor;
      return grey;
    };
    return toRaw(openRaw(image).recomb([[...row(0)], [...row(1)], [...row(2)]]));
  };

const TINTS: ReadonlyMap<string | undefined, Rgb> = new Map([
  ['warm', [1.06, 1, 0.9]],
  ['cool', [0.93, 1, 1.07]],
]);
const SATURATION: ReadonlyMap<string | undefined, number> = new Map([
  ['muted', 0.8],
  ['vivid', 1.3],
]);

export const tint = (image: RawImage, gains: Rgb) => toRaw(openRaw(image).linear([...gains], [0, 0, 0]));

/** Makes the brightest areas neutral, within bounds so that lamplight stays warm, then applies the job's settings. */
export const correctColour: Operation = async (image, settings) => {
  const { white } = await measureLevels(image);
  const grey = (white[0] + white[1] + white[2]) / 3;
  const gain = (level: number) => Math.min(1.25, Math.max(0.8, grey / Math.max(1, level)));
  const neutral = await tint(image, [gain(white[0]), gain(white[1]), gain(white[2])]);
  const tinted = await tint(neutral, TINTS.get(settings.whiteBalance) ?? [1, 1, 1]);
  return saturate(SATURATION.get(settings.saturation) ?? 1.06)(tinted, settings);
};

/** How the map of the light is blended: slope and offset of its levels, and the blend mode. */
interface LightLayer {
  slope: number;
  offset: number;
  mode: Blend;
}

const LIGHT_MODES: ReadonlyMap<string | undefined, LightLayer> = new Map([
  ['lift-shadows', { slope: -0.6, offset: 80, mode: 'screen' }],
  ['recover-highlights', { slope: -0.6, offset: 330, mode: 'multiply' }],
  ['brighten', { slope: 0, offset: 185, mode: 'soft-light' }],
  ['darken', { slope: 0, offset: 66, mode: 'soft-light' }],
]);

export const adjustLight: Operation = async (image, settings) => {
  const layer = LIGHT_MODES.get(settings.lightingMode);
  const lit = layer
    ? await blend(openRaw(image), await lightMap(image, layer.slope, layer.offset), layer.mode)
    : await balanceLight(image, settings);
  const gains = TINTS.get(settings.lightColor);
  return gains ? tint(lit, gains) : lit;
};
