import type { RawImage, Size } from '../../imaging/libvips.ts';

/** A projective map, row by row; it maps homogeneous points of the result to points of the source. */
export type Homography = readonly [number, number, number, number, number, number, number, number, number];

export const IDENTITY: Homography = [1, 0, 0, 0, 1, 0, 0, 0, 1];

export function multiply(a: Homography, b: Homography): Homography {
  const entry = (row: number, column: number) =>
    [0, 1, 2].reduce((sum, k) => sum + (a[row * 3 + k] ?? 0) * (b[k * 3 + column] ?? 0), 0);
  return [
    entry(0, 0),
    entry(0, 1),
    entry(0, 2),
    entry(1, 0),
    entry(1, 1),
    entry(1, 2),
    entry(2, 0),
    entry(2, 1),
    entry(2, 2),
  ];
}

function mapPoint(map: Homography, x: number, y: number): { x: number; y: number } {
  const w = map[6] * x + map[7] * y + map[8];
  return { x: (map[0] * x + map[1] * y + map[2]) / w, y: (map[3] * x + map[4] * y + map[5]) / w };
}

/** Draws the result of the same size, with bilinear interpolation; outside of the source its edge is repeated. */
export function warp(image: RawImage, map: Homography): RawImage {
  const { pixels, width, height } = image;
  const warped = Buffer.allocUnsafe(pixels.length);
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++, to += 3) {
      const w = map[6] * x + map[7] * y + map[8];
      const fromX = Math.min(width - 1.001, Math.max(0, (map[0] * x + map[1] * y + map[2]) / w));
      const fromY = Math.min(height - 1.001, Math.max(0, (map[3] * x + map[4] * y + map[5]) / w));
      const [left, top] = [fromX | 0, fromY | 0];
      const [right, down] = [fromX - left, fromY - top];
      const at = (top * width + left) * 3;
      const below = top + 1 < height ? at + width * 3 : at;
      const next = left + 1 < width ? 3 : 0;
      for (let channel = 0; channel < 3; channel++) {
        const upper = pixels[at + channel] ?? 0;
        const lower = pixels[below + channel] ?? 0;
        const above = upper + ((pixels[at + next + channel] ?? 0) - upper) * right;
        const under = lower + ((pixels[below + next + channel] ?? 0) - lower) * right;
        warped[to + channel] = above + (under - above) * down + 0.5;
      }
    }
  }
  return { pixels: warped, width, height };
}

/**
 * Scales and moves the result so that it shows nothing from outside of the source: the largest frame of the old shape
 * whose corners all lie inside. Lines stay lines, so the corners suffice.
 */
export function fillFrame(map: Homography, size: Size): Homography {
  const { width, height } = size;
  const fits = (scale: number, x: number, y: number) =>
    CORNERS.every(([across, down]) => {
      const corner = mapPoint(map, x + (across * width * scale) / 2, y + (down * height * scale) / 2);
      return corner.x >= 0 && corner.y >= 0 && corner.x <= width - 1 && corner.y <= height - 1;
    });
  for (let scale = 1.3; scale > 0.2; scale -= 0.005) {
    for (const [across, down] of CENTRES) {
      const [x, y] = [(width - 1) / 2 + across * width, (height - 1) / 2 + down * height];
      if (!fits(scale, x, y)) continue;
      const [left, top] = [x - (scale * (width - 1)) / 2, y - (scale * (height - 1)) / 2];
      return multiply(map, [scale, 0, left, 0, scale, top, 0, 0, 1]);
    }
  }
  return map;
}

const CORNERS = [
  [-1, -1],
  [1, -1],
  [-1, 1],
  [1, 1],
] as const;

/** Places for the centre of the frame, the middle first. */
const CENTRES = Array.from({ length: 441 }, (_, index): [number, number] => [
  ((index % 21) - 10) * 0.02,
  (Math.floor(index / 21) - 10) * 0.02,
]).sort((a, b) => Math.hypot(...a) - Math.hypot(...b));
