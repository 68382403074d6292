import type { RawImage, Size } from './libvips.ts';

/**
 * A precomputed greyscale overlay, stored sparsely: for each pixel that is not transparent its
 * column, and the factors of `(level * keep + add) / 256`. `starts` holds the index at which each
 * row begins.
 */
export interface Ink extends Size {
  starts: Uint32Array;
  columns: Uint16Array;
  keep: Uint16Array;
  add: Uint16Array;
}

/** @param rgba greyscale RGBA pixels, not premultiplied */
export function inkOf(rgba: Buffer, { width, height }: Size): Ink {
  let count = 0;
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] !== 0) count += 1;
  const ink = { columns: new Uint16Array(count), keep: new Uint16Array(count), add: new Uint16Array(count) };
  const starts = new Uint32Array(height + 1);
  let next = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      const opacity = rgba[at + 3] ?? 0;
      if (opacity === 0) continue;
      ink.columns[next] = x;
      ink.keep[next] = Math.round(256 * (1 - opacity / 255));
      ink.add[next] = Math.round((256 / 255) * opacity * (rgba[at] ?? 0));
      next += 1;
    }
    starts[y + 1] = next;
  }
  return { width, height, starts, ...ink };
}

/**
 * Draws the overlay onto the image, in place, with its top left corner at `place`; clipped at the
 * edges.
 */
export function lay(
  ink: Ink,
  { pixels, width, height }: RawImage,
  place: { left: number; top: number },
): void {
  const rows = Math.min(ink.height, height - place.top);
  for (let row = 0; row < rows; row++) {
    const line = (place.top + row) * width + place.left;
    const end = ink.starts[row + 1] ?? 0;
    for (let at = ink.starts[row] ?? 0; at < end; at++) {
      const column = ink.columns[at] ?? 0;
      if (place.left + column >= width) break;
      const keep = ink.keep[at] ?? 0;
      const add = ink.add[at] ?? 0;
      const pixel = (line + column) * 3;
      pixels[pixel] = ((pixels[pixel] ?? 0) * keep + add) >> 8;
      pixels[pixel + 1] = ((pixels[pixel + 1] ?? 0) * keep + add) >> 8;
      pixels[pixel + 2] = ((pixels[pixel + 2] ?? 0) * keep + add) >> 8;
    }
  }
}

export function layTiles(ink: Ink, image: RawImage): void {
  for (let top = 0; top < image.height; top += ink.height)
    for (let left = 0; left < image.width; left += ink.width) lay(ink, image, { left, top });
}
