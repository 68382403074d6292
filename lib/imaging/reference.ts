import type { Sharp } from 'sharp';
import { type RawImage, rejectAsDamaged, type Size, toRaw } from './libvips.ts';
import { scaleToLongestSide } from './size.ts';

const LONGEST_SIDE = 256;

/** Size of the small copies in which an input and its result are compared. */
export const referenceSize = (size: Size): Size => scaleToLongestSide(size, LONGEST_SIDE);

/** A copy of exactly this size. @throws ImageError */
export const toReference = (pipeline: Sharp, { width, height }: Size): Promise<RawImage> =>
  toRaw(pipeline.resize({ width, height, fit: 'fill' })).catch(rejectAsDamaged);
