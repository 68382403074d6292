import type { InspectedImage } from './inspect.ts';
import { longestSide, type SizeTarget, scaleToLongestSide, targetLongestSide } from './size.ts';
import type { ImageFormat } from './sniff.ts';
import { HELD_PIXELS } from './watermark.ts';

export interface RenderTarget extends SizeTarget {
  /** The stored format of the result. */
  format: ImageFormat;
}

export interface RenderCost {
  /** Upper estimate of the resident memory of a process that renders the picture and nothing else, all of it. */
  bytes: number;
  /** Of the input or the result, whichever has more: what the time for it is measured by. */
  megapixels: number;
}

/** Node, sharp, the picture's own bytes and the rows that pipelines work on. */
const PROCESS_BYTES = 170_000_000;
/** Six copies of the result's pixels and a little: edits hand pictures on, and Node frees them only after a while. */
const EDITED_BYTES = 20;
/** Of a result pixel that a decoder's output is resized to. */
const RESIZED_BYTES = 6;

/**
 * From the header alone, without a look at a pixel. Measured against the peak (VmHWM) of a fresh process for each of
 * 110 renders, with MALLOC_ARENA_MAX=2: never below it. Malloc with more arenas keeps more.
 */
export function estimateRender(picture: InspectedImage, target: RenderTarget): RenderCost {
  const longest = targetLongestSide(target, picture, target.format);
  const { width, height } = scaleToLongestSide(picture, longest);
  const pixels = width * height;
  const { decoding, kept } = decodingBytes(picture, pixels);
  const edited = !target.neverSmaller || longestSide(picture) < target.longestSide;
  const working = edited
    ? Math.max(decoding + RESIZED_BYTES * pixels, EDITED_BYTES * pixels)
    : Math.max(decoding, kept + ENCODING[target.format](pixels));
  return {
    bytes: PROCESS_BYTES + Math.ceil(working),
    megapixels: Math.max(picture.width * picture.height, pixels) / 1e6,
  };
}

/**
 * At the peak, and until the last row is out. A WebP is whole in memory, with alpha in any case and twice at its peak,
 * though at the size of the result where that is smaller.
 */
function decodingBytes(picture: InspectedImage, resultPixels: number): { decoding: number; kept: number } {
  const turning = picture.turned ? (4 * picture.bitDepth * resultPixels) / 8 : 0;
  if (picture.format !== 'webp') {
    const held = picture.heldBytes + turning;
    return { decoding: held, kept: held };
  }
  const decoded = 4 * Math.min(resultPixels, picture.width * picture.height);
  return {
    decoding: Math.max(picture.heldBytes + decoded, 2 * decoded) + turning,
    kept: decoded + turning,
  };
}

/** Bytes by pixels of the result. Up to a 4K square that is the picture, a marked copy and what the encoder holds. */
const ENCODING = {
  jpeg: (pixels) => (pixels > HELD_PIXELS ? pixels / 2 : 18 * pixels),
  png: (pixels) => (pixels > HELD_PIXELS ? 5 * pixels : 11 * pixels),
  webp: (pixels) => (pixels > HELD_PIXELS ? 6 * pixels : 11 * pixels),
} satisfies Record<ImageFormat, (pixels: number) => number>;
