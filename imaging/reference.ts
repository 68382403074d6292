import type { Sharp } from 'sharp';
import type { GreyImage } from './compare.ts';
import { rejectAsDamaged, type Size } from './libvips.ts';
import { scaleToLongestSide } from './size.ts';

const LONGEST_SIDE = 256;

/** Size of the small grey copies in which an input and its result are compared. */
export const referenceSize = (size: Size): Size => scaleToLongestSide(size, LONGEST_SIDE);

/** A grey copy of exactly this size. @throws ImageError */
export async function toGrey(pipeline: Sharp, { width, height }: Size): Promise<GreyImage> {
  const pixels = await pipeline
    .resize({ width, height, fit: 'fill' })
    .greyscale()
    .raw()
    .toBuffer()
    .catch(rejectAsDamaged);
  return { pixels, width, height };
}
