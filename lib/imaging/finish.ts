import type { Sharp } from 'sharp';
import type { ImageFormat } from '../domain/records.ts';
import { type Caption, captionStrip } from './caption.ts';
import { encodeResult } from './encode.ts';
import { crop, type Region } from './fit.ts';
import { lay } from './ink.ts';
import { openEncoded, openRaw, type RawImage, rejectAsDamaged, type Size, toRaw } from './libvips.ts';
import { type SizeTarget, scaleToLongestSide, targetLongestSide } from './size.ts';
import { drawWatermark, layWatermark } from './watermark.ts';

export interface FinishOptions extends SizeTarget {
  /** The stored format of the result. */
  format: ImageFormat;
  /** Upright size of the client's image; used when `neverSmaller` is set. */
  inputSize: Size;
  /** The words of the watermark; null draws none. */
  watermark: string | null;
  caption?: Caption;
  /**
   * The part of an upstream's image that has the input's ratio: its result has exactly the input's.
   */
  region?: Region;
}

export interface FinishedResult extends Size {
  bytes: Buffer;
}

/**
 * The last step of every render: exact size, watermark, stored format, no metadata. Encoded bytes
 * come from an upstream and are as untrusted as a client's, so they are always decoded and encoded
 * again.
 * @throws ImageError
 */
export async function finishResult(
  image: Buffer | RawImage,
  options: FinishOptions,
): Promise<FinishedResult> {
  const { pipeline, size } = Buffer.isBuffer(image)
    ? await openEncoded(image)
    : { pipeline: openRaw(image), size: image };
  const { inputSize, region } = options;
  const target = scaleToLongestSide(
    region === undefined ? size : inputSize,
    targetLongestSide(options, inputSize, options.format),
  );
  const sized = resize(
    region === undefined ? pipeline : crop(pipeline, size, region),
    region ?? size,
    target,
  );
  const marked = await mark(sized, target, options).catch(rejectAsDamaged);
  const bytes = await encodeResult(marked, options.format, target).toBuffer().catch(rejectAsDamaged);
  return { bytes, ...target };
}

/** Draws watermark and caption, each on its own part of the image. */
async function mark(pipeline: Sharp, size: Size, { watermark, caption }: FinishOptions): Promise<Sharp> {
  if (caption === undefined) return watermark === null ? pipeline : drawWatermark(pipeline, size, watermark);
  const image = await toRaw(pipeline);
  const strip = await captionStrip(size, caption);
  const top = size.height - strip.height;
  if (watermark !== null) await layWatermark(image, watermark, top);
  lay(strip, image, { left: 0, top });
  return openRaw(image);
}

function resize(pipeline: Sharp, from: Size, to: Size): Sharp {
  return from.width === to.width && from.height === to.height
    ? pipeline
    : pipeline.resize({ ...to, fit: 'fill' });
}
