import type { RawImage } from '../../imaging/libvips.ts';
import { recolourPlants } from './foliage.ts';
import type { Operation, Settings } from './operation.ts';
import { lumaAt } from './plane.ts';
import { findPlants } from './plants.ts';
import { SEASONS, SUMMER, type Tint } from './season-colours.ts';
import { findSky } from './sky.ts';
import { strengthOf } from './tone.ts';

/** Share of the image: less is a pot plant in a room. */
const LEAST_PLANTS = 0.04;

/** Recolours what is green as plants are, and the sky with it. Buildings and paving keep their colour. */
export const changeSeason: Operation = async (image, settings) => {
  const plants = await findPlants(image);
  if (plants.share < LEAST_PLANTS) return undefined;
  const { season, strength } = seasonOf(settings);
  if (season.sky !== undefined) await tintSky(image, season.sky, strength);
  await recolourPlants(image, { plants, season, strength });
  return image;
};

/** Recolours the plants alone, in place, if there are any. */
export async function changePlants(image: RawImage, settings: Settings): Promise<void> {
  const plants = await findPlants(image);
  if (plants.share >= LEAST_PLANTS) await recolourPlants(image, { plants, ...seasonOf(settings) });
}

const seasonOf = (settings: Settings) => ({
  season: SEASONS.get(settings.season) ?? SUMMER,
  strength: 0.15 + 0.7 * strengthOf(settings),
});

async function tintSky(image: RawImage, tint: Tint, strength: number): Promise<void> {
  const sky = await findSky(image);
  if (sky === undefined) return;
  const [gain = [1, 1, 1]] = tint.gains;
  const { pixels, width, height } = image;
  for (let y = 0; y < height; y++) {
    const mask = sky.row(y);
    for (let x = 0, at = y * width * 3; x < width; x++, at += 3) {
      const weight = (mask[x] ?? 0) * Math.min(1, tint.share * strength);
      if (weight === 0) continue;
      const luma = lumaAt(pixels, at);
      for (let channel = 0; channel < 3; channel++) {
        const level = pixels[at + channel] ?? 0;
        const goal = Math.min(255, tint.offset + (gain[channel] ?? 1) * luma);
        pixels[at + channel] = level + (goal - level) * weight + 0.5;
      }
    }
  }
}
