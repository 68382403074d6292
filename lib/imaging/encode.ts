import type { Sharp } from 'sharp';
import type { ImageFormat } from '../domain/records.ts';
import type { Size } from './libvips.ts';

/**
 * A 4K square. Above it, encoders skip the work that makes files a tenth smaller but takes twice as
 * long: optimised Huffman tables of a JPEG, which hold the image at 12 bytes per pixel, and WebP's
 * block search.
 */
const ORDINARY_PIXELS = 4096 * 4096;

/**
 * Settings for results: visually lossless for photos, with speed preferred to file size. Metadata
 * is dropped.
 */
export function encodeResult(pipeline: Sharp, format: ImageFormat, { width, height }: Size): Sharp {
  const ordinary = width * height <= ORDINARY_PIXELS;
  switch (format) {
    case 'jpeg':
      return pipeline.jpeg({ quality: 88, optimiseCoding: ordinary });
    case 'png':
      return pipeline.png({ compressionLevel: 4 });
    case 'webp':
      return pipeline.webp({ quality: 85, effort: ordinary ? 2 : 0 });
  }
}
