import type { Sharp } from 'sharp';
import type { Size } from './libvips.ts';

/** Up to this difference of ratios, the image is scaled. Nobody sees that. */
const SCALABLE = 0.02;
/** Up to this difference, the edges are cut off. Beyond it, it is another image. */
const CROPPABLE = 0.08;

export interface Region extends Size {
  left: number;
  top: number;
}

/**
 * The part of an image of this size that is scaled to the ratio of `to`: all of it, or its centre.
 * Undefined if the ratios differ too much. Models return a few ratios of their own.
 */
export function fitRatio(size: Size, to: Size): Region | undefined {
  const factor = size.width / size.height / (to.width / to.height);
  const drift = Math.abs(Math.log(factor));
  if (drift <= Math.log1p(SCALABLE)) return { left: 0, top: 0, ...size };
  if (drift > Math.log1p(CROPPABLE)) return undefined;
  const width = factor > 1 ? Math.round(size.width / factor) : size.width;
  const height = factor > 1 ? size.height : Math.round(size.height * factor);
  return {
    left: Math.floor((size.width - width) / 2),
    top: Math.floor((size.height - height) / 2),
    width,
    height,
  };
}

/**
 * Cuts out the region. The whole image is left alone, so that a decoder may scale it down while it
 * decodes.
 */
export function crop(pipeline: Sharp, size: Size, region: Region): Sharp {
  const isWhole = region.width === size.width && region.height === size.height;
  return isWhole ? pipeline : pipeline.extract(region);
}
