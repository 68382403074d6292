import type { Sharp } from 'sharp';
import type { ImageFormat } from '../domain/records.ts';
import { encodeResult } from './encode.ts';
import { openEncoded, openRaw, type RawImage, rejectAsDamaged, type Size } from './libvips.ts';
import { type SizeTarget, scaleToLongestSide, targetLongestSide } from './size.ts';
import { drawWatermark } from './watermark.ts';

export interface FinishOptions extends SizeTarget {
  /** The stored format of the result. */
  format: ImageFormat;
  /** Upright size of the client's image; used when `neverSmaller` is set. */
  inputSize: Size;
  watermark: boolean;
}

export interface FinishedResult extends Size {
  bytes: Buffer;
}

/**
 * The last step of every render: exact size, watermark, stored format, no metadata. Encoded bytes come from an
 * upstream and are as untrusted as a client's, so they are always decoded and encoded again.
 * @throws ImageError
 */
export async function finishResult(
  image: Buffer | RawImage,
  options: FinishOptions,
): Promise<FinishedResult> {
  const { pipeline, size } = Buffer.isBuffer(image)
    ? await openEncoded(image)
    : { pipeline: openRaw(image), size: image };
  const target = scaleToLongestSide(size, targetLongestSide(options, options.inputSize, options.format));
  const sized = resize(pipeline, size, target);
  const marked = options.watermark ? await drawWatermark(sized, target).catch(rejectAsDamaged) : sized;
  const bytes = await encodeResult(marked, options.format, target).toBuffer().catch(rejectAsDamaged);
  return { bytes, ...target };
}

function resize(pipeline: Sharp, from: Size, to: Size): Sharp {
  return from.width === to.width && from.height === to.height
    ? pipeline
    : pipeline.resize({ ...to, fit: 'fill' });
}
