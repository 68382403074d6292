import type { Sharp } from 'sharp';
import type { Size } from './libvips.ts';
import type { ImageFormat } from './sniff.ts';

/** A 4K square: to make the tables of a JPEG fit its picture, the encoder holds all of it, at 12 bytes a pixel. */
const FITTED_PIXELS = 4096 * 4096;

/** What results are stored with: visually lossless for photographs, and fast before small. Metadata is never kept. */
export function encodeResult(pipeline: Sharp, format: ImageFormat, { width, height }: Size): Sharp {
  switch (format) {
    case 'jpeg':
      return pipeline.jpeg({ quality: 88, optimiseCoding: width * height <= FITTED_PIXELS });
    case 'png':
      return pipeline.png({ compressionLevel: 4 });
    case 'webp':
      return pipeline.webp({ quality: 85, effort: 2 });
  }
}
