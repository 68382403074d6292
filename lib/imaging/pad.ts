import type { Region } from './fit.ts';
import type { Size } from './libvips.ts';

/** An image within a larger one. */
export interface Padded extends Size {
  /** Where the image is. */
  content: Region;
}

/** The smallest size of the nearest of these ratios that holds the whole image, in its centre. */
export function padToRatio(size: Size, ratios: readonly string[]): Padded {
  const nearest = nearestRatio(size, ratios);
  if (nearest === undefined) return { ...size, content: { left: 0, top: 0, ...size } };
  const ratio = quotient(nearest);
  const width = Math.max(size.width, Math.round(size.height * ratio));
  const height = Math.max(size.height, Math.round(size.width / ratio));
  const content = {
    left: Math.floor((width - size.width) / 2),
    top: Math.floor((height - size.height) / 2),
    ...size,
  };
  return { width, height, content };
}

/** The ratio of the list that is nearest to that of the image; undefined for an empty list. */
export function nearestRatio({ width, height }: Size, ratios: readonly string[]): string | undefined {
  const distance = (ratio: string) => Math.abs(Math.log(quotient(ratio) / (width / height)));
  return ratios.toSorted((a, b) => distance(a) - distance(b))[0];
}

/** The part of `region` that shows the content of an image which was padded before. */
export function contentIn(region: Region, { width, height, content }: Padded): Region {
  const [x, y] = [region.width / width, region.height / height];
  const left = region.left + Math.round(content.left * x);
  const top = region.top + Math.round(content.top * y);
  return {
    left,
    top,
    width: Math.max(1, Math.min(Math.round(content.width * x), region.left + region.width - left)),
    height: Math.max(1, Math.min(Math.round(content.height * y), region.top + region.height - top)),
  };
}

function quotient(ratio: string): number {
  const [across = 1, down = 1] = ratio.split(':').map(Number);
  return across / down;
}
