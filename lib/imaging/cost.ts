import type { ImageFormat } from '../domain/records.ts';
import type { InspectedImage } from './inspect.ts';
import type { TaskLimits } from './processes/watch.ts';
import { longestSide, type SizeTarget, scaleToLongestSide, targetLongestSide } from './size.ts';
import { HELD_PIXELS } from './watermark.ts';

export interface RenderTarget extends SizeTarget {
  /** The stored format of the result. */
  format: ImageFormat;
  /** Whether the image may be cropped before it is scaled: it is then decoded as a whole. */
  cropped?: boolean;
}

export interface RenderCost {
  /** Upper estimate of the whole resident memory of a fresh process that renders this one image. */
  bytes: number;
  /** Of the input or the result, whichever is larger; limits of processor time scale with it. */
  megapixels: number;
}

/** Node, sharp, the encoded image and the row buffers of pipelines. */
const PROCESS_BYTES = 170_000_000;
/**
 * Bytes per result pixel of an edit: six copies and some slack, as Node frees buffers with a delay.
 */
const EDITED_BYTES = 20;
/** Bytes per result pixel of a resize. */
const RESIZED_BYTES = 6;

/**
 * Estimates from the header alone. Compared with the peak (VmHWM) of a fresh process in each of 110
 * renders with MALLOC_ARENA_MAX=2, the estimate was never below it. With more arenas, malloc
 * retains more.
 */
export function estimateRender(image: InspectedImage, target: RenderTarget): RenderCost {
  const longest = targetLongestSide(target, image, target.format);
  const { width, height } = scaleToLongestSide(image, longest);
  const pixels = width * height;
  const decodedPixels = target.cropped ? image.width * image.height : pixels;
  const { decoding, kept } = decodingBytes(image, decodedPixels);
  const edited = !target.neverSmaller || longestSide(image) < target.longestSide;
  const working = edited
    ? Math.max(decoding + RESIZED_BYTES * pixels, EDITED_BYTES * pixels)
    : Math.max(decoding, kept + ENCODING[target.format](pixels));
  return {
    bytes: PROCESS_BYTES + Math.ceil(working),
    megapixels: Math.max(image.width * image.height, pixels) / 1e6,
  };
}

/** Limits of a task on an image of this size. */
export const taskLimits = (megapixels: number): TaskLimits => ({
  cpuMs: 5000 + 100 * megapixels,
  rssBytes: 1e9,
  stallMs: 60_000,
});

/**
 * `decoding` at the peak, `kept` until the last row is encoded. A WebP is decoded as a whole,
 * always with alpha and with two copies at the peak, but at `decodedPixels` where that is smaller.
 */
function decodingBytes(image: InspectedImage, decodedPixels: number): { decoding: number; kept: number } {
  const turning = image.turned ? (4 * image.bitDepth * decodedPixels) / 8 : 0;
  if (image.format !== 'webp') {
    const held = image.heldBytes + turning;
    return { decoding: held, kept: held };
  }
  const decoded = 4 * Math.min(decodedPixels, image.width * image.height);
  return {
    decoding: Math.max(image.heldBytes + decoded, 2 * decoded) + turning,
    kept: decoded + turning,
  };
}

/**
 * Bytes by result pixels. Up to a 4K square: the image, its watermarked copy and the encoder's
 * buffers.
 */
const ENCODING = {
  jpeg: (pixels) => (pixels > HELD_PIXELS ? pixels / 2 : 18 * pixels),
  png: (pixels) => (pixels > HELD_PIXELS ? 5 * pixels : 11 * pixels),
  webp: (pixels) => (pixels > HELD_PIXELS ? 6 * pixels : 11 * pixels),
} satisfies Record<ImageFormat, (pixels: number) => number>;
