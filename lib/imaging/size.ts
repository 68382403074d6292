import type { ImageFormat } from '../domain/records.ts';
import type { Size } from './libvips.ts';

/** `longestSide` in pixels. With `neverSmaller`, a larger input keeps its own longest side. */
export interface SizeTarget {
  longestSide: number;
  neverSmaller: boolean;
}

/** The longest side of the result, capped at what the format can store. */
export function targetLongestSide(target: SizeTarget, input: Size, format: ImageFormat): number {
  const longest = target.neverSmaller ? Math.max(target.longestSide, longestSide(input)) : target.longestSide;
  return Math.min(longest, STORABLE[format]);
}

/** Scales to exactly this longest side, up or down; no side is under one pixel. */
export function scaleToLongestSide(size: Size, longest: number): Size {
  const factor = longest / longestSide(size);
  const scale = (side: number) => Math.max(1, Math.round(side * factor));
  return { width: scale(size.width), height: scale(size.height) };
}

export const longestSide = ({ width, height }: Size) => Math.max(width, height);

/**
 * Longest side the encoder accepts: JPEG 16 bits less libjpeg's margin, WebP 14 bits (RFC 9649,
 * 2.5).
 */
const STORABLE = { jpeg: 65_500, png: 1_000_000, webp: 16_383 } satisfies Record<ImageFormat, number>;
