import type { Sharp } from 'sharp';
import { referenceSize, toReference } from './compare.ts';
import { crop, type Region } from './fit.ts';
import { openEncoded, type RawImage, rejectAsDamaged, type Size } from './libvips.ts';
import { type Padded, padToRatio } from './pad.ts';
import { longestSide, scaleToLongestSide } from './size.ts';

/**
 * `width` and `height` are those of `bytes`; `inputSize` is the upright size of the client's image.
 */
export interface PreparedInput extends Size {
  /** A JPEG of at most {@link MOST_BYTES}. */
  bytes: Buffer;
  inputSize: Size;
  /** Where the photo is in `bytes`: all of it, unless it was padded. */
  content: Region;
  /** A small copy, to compare the result with. */
  reference: RawImage;
}

export interface PrepareOptions {
  /** In pixels; no limit by default. */
  longestSideAtMost?: number;
  /**
   * Pads the image to the nearest of these ratios, with its own mirrored edges; `3:2`, for
   * instance.
   */
  ratios?: readonly string[];
}

/** Fits every upstream inline, in base64. */
const MOST_BYTES = 8_000_000;
/**
 * The last quality is for noise only: a photo of 4096 pixels is below the limit at the first
 * quality.
 */
const QUALITIES = [95, 85, 60] as const;

/**
 * Prepares a client's image for an upstream: decoded strictly, upright, opaque sRGB, no metadata,
 * scaled down when its longest side exceeds `longestSideAtMost`, as a high-quality JPEG.
 * @throws ImageError
 */
export async function prepareInput(
  bytes: Buffer,
  { longestSideAtMost = Number.POSITIVE_INFINITY, ratios = [] }: PrepareOptions = {},
): Promise<PreparedInput> {
  const { pipeline, size: inputSize } = await openEncoded(bytes);
  const size =
    longestSide(inputSize) > longestSideAtMost ? scaleToLongestSide(inputSize, longestSideAtMost) : inputSize;
  const sized = size === inputSize ? pipeline : pipeline.resize({ ...size, fit: 'fill' });
  const padded = padToRatio(size, ratios);
  const encoded = await encode(extend(sized, size, padded));
  const { pipeline: again } = await openEncoded(encoded);
  const reference = await toReference(crop(again, padded, padded.content), referenceSize(inputSize));
  return { bytes: encoded, ...padded, inputSize, reference };
}

function extend(pipeline: Sharp, size: Size, { width, height, content }: Padded): Sharp {
  if (width === size.width && height === size.height) return pipeline;
  return pipeline.extend({
    left: content.left,
    top: content.top,
    right: width - size.width - content.left,
    bottom: height - size.height - content.top,
    extendWith: 'mirror',
  });
}

async function encode(
  pipeline: Sharp,
  [quality, ...lower]: readonly [number, ...number[]] = QUALITIES,
): Promise<Buffer> {
  const bytes = await pipeline
    .clone()
    .jpeg({ quality, chromaSubsampling: '4:4:4', optimiseCoding: false })
    .toBuffer()
    .catch(rejectAsDamaged);
  const [next, ...rest] = lower;
  return bytes.length <= MOST_BYTES || next === undefined ? bytes : encode(pipeline, [next, ...rest]);
}
