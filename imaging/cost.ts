import type { InspectedImage } from './inspect.ts';
import type { Size } from './libvips.ts';
import { longestSide, type SizeTarget, scaleToLongestSide, targetLongestSide } from './size.ts';
import type { ImageFormat } from './sniff.ts';
import { HELD_PIXELS } from './watermark.ts';

export interface RenderTarget extends SizeTarget {
  /** The stored format of the result. */
  format: ImageFormat;
}

export interface RenderCost {
  /** Upper estimate of the resident memory of a process that renders the picture and nothing else, its own included. */
  bytes: number;
  /** Of the input, in millions of pixels: what its time is measured by. */
  megapixels: number;
}

/** Node, sharp, fonts and the strips of rows that pipelines work on. */
const PROCESS_BYTES = 130_000_000;
/** Eight copies of the pixels: edits hand whole pictures on, and Node frees them only after a while. */
const EDITED_BYTES = 24;
/** Of the watermark or of an encoder that reads its picture twice; another one in the second. */
const RAW_BYTES = 3;

/**
 * From the header alone. Measured against VmHWM of processes that rendered one picture each, with MALLOC_ARENA_MAX=2:
 * the estimate was never below, and for large pictures at most 60 % above.
 */
export function estimateRender(picture: InspectedImage, target: RenderTarget): RenderCost {
  const size = scaleToLongestSide(picture, targetLongestSide(target, picture, target.format));
  const pixels = size.width * size.height;
  const decoding = decodingBytes(picture, size);
  const edited = longestSide(picture) < target.longestSide || !target.neverSmaller;
  const editing = edited ? EDITED_BYTES * pixels : 0;
  const encoding = ENCODING[target.format](pixels);
  return {
    bytes: PROCESS_BYTES + Math.max(decoding + encoding, editing),
    megapixels: (picture.width * picture.height) / 1e6,
  };
}
