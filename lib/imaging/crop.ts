import type { Sharp } from 'sharp';
import type { Region } from './fit.ts';
import type { Size } from './libvips.ts';

/** The region of an image of this size. All of it stays uncut, so that a decoder may scale it down while it decodes. */
export function crop(pipeline: Sharp, size: Size, region: Region): Sharp {
  const isWhole = region.width === size.width && region.height === size.height;
  return isWhole ? pipeline : pipeline.extract(region);
}
