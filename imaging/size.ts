import type { Size } from './libvips.ts';
import type { ImageFormat } from './sniff.ts';

/** `longestSide` in pixels. With `neverSmaller` an input that is larger still keeps its own longest side. */
export interface SizeTarget {
  longestSide: number;
  neverSmaller: boolean;
}

/** The longest side the result is to have, within what the format can store. */
export function targetLongestSide(target: SizeTarget, input: Size, format: ImageFormat): number {
  const wanted = target.neverSmaller ? Math.max(target.longestSide, longestSide(input)) : target.longestSide;
  return Math.min(wanted, STORABLE[format]);
}

/** Scales to exactly that longest side, up or down; no side falls under one pixel. */
export function scaleToLongestSide(size: Size, longest: number): Size {
  const factor = longest / longestSide(size);
  const scale = (side: number) => Math.max(1, Math.round(side * factor));
  return { width: scale(size.width), height: scale(size.height) };
}

export const longestSide = ({ width, height }: Size) => Math.max(width, height);

/** Longest side an encoder takes: 16 bits less libjpeg's margin, 14 bits in WebP (RFC 9649, 2.5). */
const STORABLE = { jpeg: 65_500, png: 1_000_000, webp: 16_383 } satisfies Record<ImageFormat, number>;
