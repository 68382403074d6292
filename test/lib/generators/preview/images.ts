import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import type { Settings } from '../../../../lib/generators/preview/operation.ts';
import { OPERATIONS } from '../../../../lib/generators/preview/operations.ts';
import { openRaw, type RawImage, type Size, toRaw } from '../../../../lib/imaging/libvips.ts';

const ROOT = new URL('../../../../', import.meta.url);
const FILES = {
  room: 'docs/sample-room.jpg',
  livingRoom: 'dev/gallery/photos/living-room.jpg',
  house: 'dev/gallery/photos/house.jpg',
  portrait: 'dev/gallery/photos/portrait.jpg',
  plan: 'dev/gallery/photos/floor-plan.png',
} as const;

/** One of the sample photos, at this width. */
export async function photo(name: keyof typeof FILES, width = 640): Promise<RawImage> {
  return toRaw(
    sharp(await readFile(new URL(FILES[name], ROOT)))
      .toColourspace('srgb')
      .resize({ width }),
  );
}

export type Colour = readonly [red: number, green: number, blue: number];

/** An image whose pixels are computed. */
export function draw(size: Size, colourAt: (x: number, y: number) => Colour): RawImage {
  const pixels = Buffer.alloc(size.width * size.height * 3);
  for (let y = 0; y < size.height; y++)
    for (let x = 0; x < size.width; x++) pixels.set(colourAt(x, y), (y * size.width + x) * 3);
  return { ...size, pixels };
}

/** Runs the tool's operation on a copy. */
export async function editLocally(tool: string, image: RawImage, settings: Settings = {}): Promise<RawImage> {
  const edited = await tryEdit(tool, image, settings);
  if (edited === undefined) throw new Error(`${tool} found nothing to do.`);
  return edited;
}

export async function tryEdit(
  tool: string,
  image: RawImage,
  settings: Settings = {},
): Promise<RawImage | undefined> {
  return OPERATIONS.get(tool)?.({ ...image, pixels: Buffer.from(image.pixels) }, settings);
}

/** Whether the tool finds nothing to do; an assertion on the image itself would print all of it. */
export const declines = async (tool: string, image: RawImage, settings: Settings = {}): Promise<boolean> =>
  (await tryEdit(tool, image, settings)) === undefined;

export interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Mean colour, and standard deviation of the luma, of an area whose edges are shares of the image. */
export async function measure(
  image: RawImage,
  area: Area = WHOLE,
): Promise<{ mean: Colour; deviation: number }> {
  const region = {
    left: Math.round(area.left * image.width),
    top: Math.round(area.top * image.height),
    width: Math.round(area.width * image.width),
    height: Math.round(area.height * image.height),
  };
  const pipeline = openRaw(image).extract(region);
  const { channels } = await sharp((await toRaw(pipeline)).pixels, {
    raw: { ...sizeOf(region), channels: 3 },
  }).stats();
  const [red, green, blue] = channels;
  return {
    mean: [red?.mean ?? 0, green?.mean ?? 0, blue?.mean ?? 0],
    deviation: green?.stdev ?? 0,
  };
}

const WHOLE: Area = { left: 0, top: 0, width: 1, height: 1 };
const sizeOf = ({ width, height }: Size) => ({ width, height });

/** Peak signal-to-noise ratio in dB. */
export function psnr(a: RawImage, b: RawImage): number {
  let sum = 0;
  for (let at = 0; at < a.pixels.length; at++) sum += ((a.pixels[at] ?? 0) - (b.pixels[at] ?? 0)) ** 2;
  return 10 * Math.log10((255 * 255 * a.pixels.length) / sum);
}
