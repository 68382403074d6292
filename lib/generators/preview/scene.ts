import type { RawImage } from '../../imaging/libvips.ts';
import { type Mask, shrink } from './masks.ts';
import { colourAt, lumaOf, thumbnailOf } from './plane.ts';
import { findPlants } from './plants.ts';
import { findSky, measureSky } from './sky.ts';

export type Scene = 'room' | 'exterior' | 'neither';

const SIDE = 240;
/** A sky is bluer than a ceiling gets, or brighter than what stands before it by more than a ceiling is than walls. */
const SKY = { blueness: 25, drop: 75 };
/** Shares of the image that no room has: of plants, and of sky that was not found as such, in the upper half. */
const OUTDOORS = { plants: 0.1, blue: 0.1 };
/** Of a floor plan or a drawing, this share at least is white paper. */
const PAPER = 0.4;

/** What a photo shows. Exteriors whose sky is not found, and drawings, are neither a room nor an exterior. */
export async function sceneOf(image: RawImage): Promise<Scene> {
  const thumbnail = await thumbnailOf(image, SIDE);
  const sky = await findSky(image);
  if (sky !== undefined && isSky(image, thumbnail, sky)) return 'exterior';
  const { share } = await findPlants(image);
  const isRoom = share < OUTDOORS.plants && blueAbove(thumbnail) < OUTDOORS.blue && !isDrawing(thumbnail);
  return isRoom ? 'room' : 'neither';
}

function isSky(image: RawImage, thumbnail: RawImage, sky: Mask): boolean {
  return (
    measureSky(image, sky).blueness > SKY.blueness ||
    dropBelow(thumbnail, shrink(sky, image, thumbnail).values) > SKY.drop
  );
}

/** The mean step of luma from the lower end of the sky in each column to what is a little below it. */
function dropBelow(thumbnail: RawImage, sky: Float32Array): number {
  const { width, height } = thumbnail;
  const luma = lumaOf(thumbnail).values;
  let [sum, columns] = [0, 0];
  for (let x = 0; x < width; x++) {
    let y = 0;
    while (y < height && (sky[y * width + x] ?? 0) > 0.5) y++;
    if (y < 4 || y + 6 >= height) continue;
    sum += (luma[(y - 4) * width + x] ?? 0) - (luma[(y + 6) * width + x] ?? 0);
    columns++;
  }
  return sum / Math.max(1, columns);
}

/** The share of the image that is deep blue in its upper half. */
function blueAbove({ pixels, width, height }: RawImage): number {
  let blue = 0;
  for (let at = 0; at < (width * height) / 2; at++) {
    const [red, green, level] = colourAt(pixels, at);
    if (level > 120 && level > green + 15 && level > red + 50) blue++;
  }
  return blue / (width * height);
}

function isDrawing({ pixels, width, height }: RawImage): boolean {
  let white = 0;
  for (let at = 0; at < width * height; at++) if (Math.min(...colourAt(pixels, at)) > 242) white++;
  return white > PAPER * width * height;
}
