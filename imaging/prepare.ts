import { openEncoded, rejectAsDamaged, type Size } from './libvips.ts';
import { longestSide, scaleToLongestSide } from './size.ts';
import type { ImageMime } from './sniff.ts';

/** `width` and `height` are those of `bytes`; `inputSize` is the upright size of the client's image. */
export interface PreparedInput extends Size {
  bytes: Buffer;
  mime: ImageMime;
  inputSize: Size;
}

export interface PrepareOptions {
  longestSideAtMost?: number;
}

/**
 * Prepares a client's image for a generator: decoded strictly, upright, opaque sRGB, no metadata, and scaled down when
 * its longest side exceeds `longestSideAtMost`. A PNG stays lossless; other formats become a high-quality JPEG.
 * @throws ImageError
 */
export async function prepareInput(
  bytes: Buffer,
  { longestSideAtMost = Number.POSITIVE_INFINITY }: PrepareOptions = {},
): Promise<PreparedInput> {
  const { pipeline, size: inputSize, format } = await openEncoded(bytes);
  const lossless = format === 'png';
  const limit = Math.min(longestSideAtMost, lossless ? Number.POSITIVE_INFINITY : 65_500);
  const size = longestSide(inputSize) > limit ? scaleToLongestSide(inputSize, limit) : inputSize;
  const sized = size === inputSize ? pipeline : pipeline.resize({ ...size, fit: 'fill' });
  const encoded = lossless
    ? sized.png({ compressionLevel: 2 })
    : sized.jpeg({ quality: 95, chromaSubsampling: '4:4:4', optimiseCoding: false });
  const { data, info } = await encoded.toBuffer({ resolveWithObject: true }).catch(rejectAsDamaged);
  return {
    bytes: data,
    mime: lossless ? 'image/png' : 'image/jpeg',
    width: info.width,
    height: info.height,
    inputSize,
  };
}
