import type { Size } from './libvips.ts';

/** Grey pixels, one byte each, rows from the top. */
export interface GreyImage extends Size {
  pixels: Uint8Array;
}

/** Sum of the absolute Sobel gradients from which an edge of the input counts as strong; its match may be weaker. */
const STRONG = 160;
const MATCHING = 80;

/** Standard deviation of the brightness, 0 to 127.5. */
export function contrast({ pixels }: GreyImage): number {
  const mean = pixels.reduce((sum, value) => sum + value, 0) / pixels.length;
  return Math.sqrt(pixels.reduce((sum, value) => sum + (value - mean) ** 2, 0) / pixels.length);
}

/** Side of the blocks in which images are compared, in pixels. */
const BLOCK = 16;

/**
 * The mean absolute difference, 0 to 255, of the blocks that differ most. Over a whole image it would miss what a tool
 * changes on purpose: a lamp that is taken away changes a thousandth of the photo.
 */
export function largestDifference(a: GreyImage, b: GreyImage): number {
  const across = Math.ceil(a.width / BLOCK);
  const sums = new Map<number, { difference: number; pixels: number }>();
  a.pixels.forEach((value, i) => {
    const [x, y] = [i % a.width, Math.floor(i / a.width)];
    const block = Math.floor(y / BLOCK) * across + Math.floor(x / BLOCK);
    const { difference, pixels } = sums.get(block) ?? { difference: 0, pixels: 0 };
    sums.set(block, {
      difference: difference + Math.abs(value - (b.pixels[i] ?? 0)),
      pixels: pixels + 1,
    });
  });
  return Math.max(...[...sums.values()].map(({ difference, pixels }) => difference / pixels));
}

/**
 * Share of the strong edges of `input` that have an edge within one pixel in `result`, 0 to 1; 1 when there are none.
 * Furniture hides some edges; a moved camera or wall loses most.
 */
export function edgeRecall(input: GreyImage, result: GreyImage): number {
  const [edges, found] = [gradients(input), gradients(result)];
  const { width, height } = input;
  let strong = 0;
  let kept = 0;
  for (let y = 1; y < height - 1; y += 1)
    for (let x = 1; x < width - 1; x += 1) {
      if ((edges[y * width + x] ?? 0) < STRONG) continue;
      strong += 1;
      if (isEdgeNear(found, width, x, y)) kept += 1;
    }
  return strong === 0 ? 1 : kept / strong;
}

function isEdgeNear(gradients: Uint16Array, width: number, x: number, y: number): boolean {
  for (let dy = -1; dy <= 1; dy += 1)
    for (let dx = -1; dx <= 1; dx += 1)
      if ((gradients[(y + dy) * width + x + dx] ?? 0) >= MATCHING) return true;
  return false;
}

/** Sums of the absolute horizontal and vertical Sobel gradients; 0 at the border. */
function gradients({ pixels, width, height }: GreyImage): Uint16Array {
  const sums = new Uint16Array(width * height);
  for (let y = 1; y < height - 1; y += 1)
    for (let x = 1; x < width - 1; x += 1) {
      const at = (dx: number, dy: number) => pixels[(y + dy) * width + x + dx] ?? 0;
      const across = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
      const down = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
      sums[y * width + x] = Math.abs(across) + Math.abs(down);
    }
  return sums;
}
