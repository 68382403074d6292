import sharp, { type Sharp } from 'sharp';
import { openRaw, type RawImage, type Size, toRaw } from '../../imaging/libvips.ts';
import { LUMA } from './layers.ts';
import type { Operation } from './operation.ts';

/**
 * An unsharp mask on the luma. Little differences, which may be noise, are raised a little, larger ones more, and none
 * so far that edges would glow.
 */
export const sharpenDetail: Operation = async (image) => {
  const luma = await lumaOf(image);
  const around = await toGrey(openGrey(luma, image).blur(1.1));
  const sharpened = { ...image, pixels: Buffer.from(image.pixels) };
  shift(sharpened, (pixel) => SHARPENING[(luma[pixel] ?? 0) - (around[pixel] ?? 0) + 255] ?? 0);
  return sharpened;
};

/** A median takes single grains off the luma without moving edges; of colour, which the eye sees coarsely, a blur. */
export const removeNoise: Operation = async (image) => {
  const quiet = await toGrey(openGrey(await lumaOf(image), image).median(3));
  const smooth = await toRaw(openRaw(image).blur(1.2));
  const luma = await lumaOf(smooth);
  shift(smooth, (pixel) => (quiet[pixel] ?? 0) - (luma[pixel] ?? 0));
  return smooth;
};

/** By how much luma is raised where it is so much above what is around it; from -255 at index 0. */
const SHARPENING = Int16Array.from({ length: 511 }, (_, index) => {
  const [sign, distance] = [Math.sign(index - 255), Math.abs(index - 255)];
  const raised = 0.4 * Math.min(distance, 5) + 2 * Math.max(0, distance - 5);
  return sign * Math.round(Math.min(raised, sign > 0 ? 25 : 50));
});

/** Adds to all channels of every pixel, in place. */
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
