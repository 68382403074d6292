import type { Sharp } from 'sharp';
import { encodeResult } from './encode.ts';
import { openEncoded, openRaw, type RawImage, rejectAsDamaged, type Size } from './libvips.ts';
import { type SizeTarget, scaleToLongestSide, targetLongestSide } from './size.ts';
import type { ImageFormat } from './sniff.ts';
import { drawWatermark } from './watermark.ts';

export interface FinishOptions extends SizeTarget {
  /** The stored format of the result. */
  format: ImageFormat;
  /** Upright size of what the client sent; counts where `neverSmaller` does. */
  inputSize: Size;
  watermark: boolean;
}

export interface FinishedResult extends Size {
  bytes: Buffer;
}

/**
 * The last step of every render: exact size, watermark, stored format, no metadata. Encoded bytes come from an
 * upstream and are trusted no more than a client's, so they are always decoded and encoded anew. Throws ImageError.
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
  const drawn = options.watermark ? await drawWatermark(sized, target).catch(rejectAsDamaged) : sized;
  const bytes = await encodeResult(drawn, options.format, target).toBuffer().catch(rejectAsDamaged);
  return { bytes, ...target };
}

function resize(pipeline: Sharp, from: Size, to: Size): Sharp {
  return from.width === to.width && from.height === to.height
    ? pipeline
    : pipeline.resize({ ...to, fit: 'fill' });
}
