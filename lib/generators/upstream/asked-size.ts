import type { Size } from '../../imaging/libvips.ts';
import { scaleToLongestSide } from '../../imaging/size.ts';
import type { UpstreamRequest } from '../port.ts';

export interface SizeLimits {
  /** Both sides must be multiples of this. */
  multiple: number;
  mostPixels: number;
  mostLongestSide?: number;
  /** Ratio of the longer to the shorter side. The input must not exceed it. */
  mostRatio?: number;
}

/** The largest size up to the target, in the input's ratio, that the upstream accepts. */
export function askedSize(
  { width, height, target }: Pick<UpstreamRequest, 'width' | 'height' | 'target'>,
  { multiple, mostPixels, ...most }: SizeLimits,
): Size {
  const { mostLongestSide = Number.POSITIVE_INFINITY, mostRatio = Number.POSITIVE_INFINITY } = most;
  const longest = Math.max(width, height);
  const byPixels = longest * Math.sqrt(mostPixels / (width * height));
  const size = scaleToLongestSide(
    { width, height },
    Math.floor(Math.min(target.longestSide, mostLongestSide, byPixels)),
  );
  const rounded = (side: number) => Math.max(multiple, Math.floor(side / multiple) * multiple);
  const [across, down] = [rounded(size.width), rounded(size.height)];
  return {
    width: Math.min(across, rounded(down * mostRatio)),
    height: Math.min(down, rounded(across * mostRatio)),
  };
}
