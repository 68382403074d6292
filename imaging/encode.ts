import type { Sharp } from 'sharp';
import type { ImageFormat } from './sniff.ts';

/** What results are stored with: visually lossless for photographs, and fast before small. Metadata is never kept. */
export function encodeResult(pipeline: Sharp, format: ImageFormat): Sharp {
  switch (format) {
    case 'jpeg':
      return pipeline.jpeg({ quality: 88 });
    case 'png':
      return pipeline.png({ compressionLevel: 4 });
    case 'webp':
      return pipeline.webp({ quality: 85, effort: 2 });
  }
}
