import type { RawImage } from '../../imaging/libvips.ts';
import { lumaOf, meanOf, thumbnailOf } from './plane.ts';

/** Statistics of the luma, in levels 0 to 255. */
export interface Levels {
  /** The 1st percentile. */
  dark: number;
  /** The 99.5th percentile. */
  bright: number;
  mean: number;
}

/** Measures a thumbnail, which also averages single hot pixels away. */
export async function measureLevels(image: RawImage): Promise<Levels> {
  const sorted = lumaOf(await thumbnailOf(image, 160)).values.sort();
  const levelAt = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return {
    dark: levelAt(0.01),
    bright: levelAt(0.995),
    mean: meanOf(sorted),
  };
}
