import type { Operation } from './operation.ts';
import { boxBlur, lumaAt, lumaOf, rowReader, thumbnailOf } from './plane.ts';
import { findPlants, greenness } from './plants.ts';

/** Share of the image; less is no lawn. */
const LEAST_LAWN = 0.03;
/** Channels of fresh grass, for a luma of 1. */
const GRASS = [0.87, 1.13, 0.5] as const;
/** How much of the differences in brightness between patches of lawn goes. */
const EVENNESS = 0.5;

/** Gives the lawn one fresh green, with its own light and shadow, and evens out dry and dark patches. */
export const freshenLawn: Operation = async (image) => {
  const { lawn: ground } = await findPlants(image);
  const area = ground.values.reduce((sum, value) => sum + value, 0);
  if (area < LEAST_LAWN * ground.values.length) return undefined;
  const light = boxBlur(lumaOf(await thumbnailOf(image, Math.max(ground.width, ground.height))), 6);
  const mean = ground.values.reduce((sum, share, at) => sum + share * (light.values[at] ?? 0), 0) / area;
  const [groundAt, lightAt] = [rowReader(ground, image), rowReader(light, image)];
  const { pixels, width, height } = image;
  for (let y = Math.floor(height / 2); y < height; y++) {
    const [lawn, local] = [groundAt(y), lightAt(y)];
    for (let x = 0, at = y * width * 3; x < width; x++, at += 3) {
      const green = greenness(pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0, 1);
      const share = 0.75 * green * (lawn[x] ?? 0);
      if (share === 0) continue;
      const own = local[x] ?? mean;
      // Shadows of trees stay: only what is near the mean is evened out.
      const even = Math.abs(own - mean) < 40 ? EVENNESS * (mean - own) : 0;
      const luma = lumaAt(pixels, at) + even;
      for (let channel = 0; channel < 3; channel++) {
        const level = pixels[at + channel] ?? 0;
        const goal = Math.min(255, Math.max(0, luma * (GRASS[channel] ?? 1)));
        pixels[at + channel] = level + (goal - level) * share;
      }
    }
  }
  return image;
};
