import sharp, { type Sharp } from 'sharp';
import { openRaw, type RawImage, type Size, toRaw } from '../../imaging/libvips.ts';
import { LUMA } from './layers.ts';
import type { Operation } from './operation.ts';

/**
 * An unsharp mask on the luma. Small differences, which may be noise, are amplified little; larger ones more, but
 * capped to avoid halos.
 */
export const sharpenDetail: Operation = async (image) => {
  const luma = await lumaOf(image);
  const blurred = await toGrey(openGrey(luma, image).blur(1.1));
  const sharpened = { ...image, pixels: Buffer.from(image.pixels) };
  shift(sharpened, (pixel) => SHARPENING[(luma[pixel] ?? 0) - (blurred[pixel] ?? 0) + 255] ?? 0);
  return sharpened;
};

/** A median filter on the luma, which keeps edges, and a blur on the chroma, where the eye sees less detail. */
export const removeNoise: Operation = async (image) => {
  const denoised = await toGrey(openGrey(await lumaOf(image), image).median(3));
  const blurred = await toRaw(openRaw(image).blur(1.2));
  const luma = await lumaOf(blurred);
  shift(blurred, (pixel) => (denoised[pixel] ?? 0) - (luma[pixel] ?? 0));
  return blurred;
};

/** The change of luma by its difference from the blurred luma; index 0 is a difference of -255. */
const SHARPENING = Int16Array.from({ length: 511 }, (_, index) => {
  const [sign, distance] = [Math.sign(index - 255), Math.abs(index - 255)];
  const raised = 0.4 * Math.min(distance, 5) + 2 * Math.max(0, distance - 5);
  return sign * Math.round(Math.min(raised, sign > 0 ? 25 : 50));
});

/** Adds the change of each pixel to all of its channels, in place. */
function shift({ pixels }: RawImage, changeOf: (pixel: number) => number): void {
  const levels = new Uint8ClampedArray(pixels.buffer, pixels.byteOffset, pixels.length);
  for (let at = 0, pixel = 0; at < levels.length; at += 3, pixel++) {
    const change = changeOf(pixel);
    if (change === 0) continue;
    levels[at] = (levels[at] ?? 0) + change;
    levels[at + 1] = (levels[at + 1] ?? 0) + change;
    levels[at + 2] = (levels[at + 2] ?? 0) + change;
  }
}

const lumaOf = (image: RawImage): Promise<Buffer> =>
  openRaw(image)
    .recomb([[...LUMA], [...LUMA], [...LUMA]])
    .extractChannel(0)
    .raw()
    .toBuffer();

const openGrey = (levels: Buffer, { width, height }: Size) =>
  sharp(levels, { raw: { width, height, channels: 1 } });

const toGrey = (pipeline: Sharp) => pipeline.toColourspace('b-w').raw().toBuffer();
