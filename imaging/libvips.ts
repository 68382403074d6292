import sharp, { type Sharp } from 'sharp';
import { LIMITS } from '../contract/limits.ts';
import { ImageError } from './errors.ts';
import { inspectImage } from './inspect.ts';
import type { ImageFormat } from './sniff.ts';

const DECODERS = ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'];
/** A backstop for one pipeline, in seconds; the largest picture allowed takes about six. */
const TIMEOUT_S = 60;

/**
 * For the composition root of a process that touches pixels; process-wide and idempotent. Leaves three decoders
 * of libvips standing, no cache (inputs never repeat) and one thread per picture (the worker's slots are the cores).
 */
export function configureLibvips(): void {
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: DECODERS });
  sharp.cache(false);
  sharp.concurrency(1);
}

export interface Size {
  width: number;
  height: number;
}

/** Upright 8-bit sRGB pixels, three channels, rows from the top. */
export interface RawImage extends Size {
  pixels: Buffer;
}

/**
 * A pipeline over untrusted bytes, upright, opaque (white behind) and in sRGB; `size` is the upright size.
 * Strict: any warning of the decoder fails the pipeline, so cut-off pixels do not become grey ones.
 */
export async function openEncoded(
  bytes: Buffer,
): Promise<{ pipeline: Sharp; size: Size; format: ImageFormat }> {
  const verdict = inspectImage(bytes);
  if (!verdict.ok) throw new ImageError(verdict.reason);
  const pipeline = sharp(bytes, { failOn: 'warning', limitInputPixels: LIMITS.imagePixels })
    .timeout({ seconds: TIMEOUT_S })
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb');
  const { autoOrient } = await pipeline.metadata().catch(rejectAsDamaged);
  return { pipeline, size: autoOrient, format: verdict.format };
}

/** A pipeline over pixels of our own. */
export function openRaw({ pixels, width, height }: RawImage): Sharp {
  return sharp(pixels, { raw: { width, height, channels: 3 } }).timeout({ seconds: TIMEOUT_S });
}

/** Ends a pipeline in pixels. */
export async function toRaw(pipeline: Sharp): Promise<RawImage> {
  const { data, info } = await pipeline.raw().toBuffer({ resolveWithObject: true });
  if (info.channels !== 3) throw new Error(`Expected 3 channels, libvips made ${info.channels}`);
  return { pixels: data, width: info.width, height: info.height };
}

/** For the promise of a pipeline over untrusted bytes: whatever libvips stumbled over is in the cause. */
export function rejectAsDamaged(cause: unknown): never {
  throw new ImageError('The image is damaged: its pixels could not be decoded in full.', { cause });
}
