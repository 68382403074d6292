import type { Sharp } from 'sharp';
import type { Size } from './libvips.ts';
import type { ImageFormat } from './sniff.ts';

/**
 * A 4K square. Over it encoders do without what makes files a tenth smaller and takes twice as long: tables that fit
 * a JPEG, for which all of it is held at 12 bytes a pixel, and WebP's search for better blocks.
 */
const ORDINARY_PIXELS = 4096 * 4096;

/** What results are stored with: visually lossless for photographs, and fast before small. Metadata is never kept. */
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
