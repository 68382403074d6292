import sharp, { type Sharp } from 'sharp';
import { LIMITS } from '../contract/limits.ts';
import type { ImageFormat } from '../domain/records.ts';
import { ImageError } from './errors.ts';
import { inspectImage } from './inspect.ts';

const DECODERS = ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'];
/** Time limit of one pipeline, in seconds; the largest image allowed takes about six. */
const TIMEOUT_S = 60;

/**
 * Configures libvips for the whole process; idempotent. Enables only three decoders, disables the
 * cache (inputs never repeat) and uses one thread (the pool runs images in parallel).
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
 * A pipeline over untrusted bytes: upright, opaque (on white) and in sRGB; `size` is the upright
 * size. Strict: any warning of the decoder fails the pipeline, so truncated pixels do not turn
 * grey.
 * @throws ImageError
 */
export async function openEncoded(
  bytes: Buffer,
): Promise<{ pipeline: Sharp; size: Size; format: ImageFormat }> {
  const inspection = inspectImage(bytes);
  if (!inspection.ok) throw new ImageError(inspection.reason);
  const pipeline = sharp(bytes, { failOn: 'warning', limitInputPixels: LIMITS.imagePixels })
    .timeout({ seconds: TIMEOUT_S })
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb');
  const { autoOrient } = await pipeline.metadata().catch(rejectAsDamaged);
  return { pipeline, size: autoOrient, format: inspection.format };
}

export function openRaw({ pixels, width, height }: RawImage): Sharp {
  return sharp(pixels, { raw: { width, height, channels: 3 } }).timeout({ seconds: TIMEOUT_S });
}

export async function toRaw(pipeline: Sharp): Promise<RawImage> {
  const { data, info } = await pipeline.raw().toBuffer({ resolveWithObject: true });
  if (info.channels !== 3) throw new Error(`Expected 3 channels, libvips made ${info.channels}`);
  return { pixels: data, width: info.width, height: info.height };
}

/** Rejection handler of pipelines over untrusted bytes; the error of libvips becomes the cause. */
export function rejectAsDamaged(cause: unknown): never {
  throw new ImageError('The image is damaged: its pixels could not be decoded in full.', { cause });
}
