import { exposureCurve, weaken } from './curve.ts';
import { smoothLight } from './guided.ts';
import { measureLevels } from './levels.ts';
import type { Operation } from './operation.ts';
import { thumbnailOf } from './plane.ts';
import { relight } from './relight.ts';
import { changeSeason } from './season.ts';
import { LIGHT, strengthOf } from './tone.ts';

interface Clearing {
  /** The brightest level that may be a black under haze. */
  haze: number;
  contrast: number;
  detail: number;
  saturation: number;
}

const FULL: Clearing = { haze: 70, contrast: 0.12, detail: 0.35, saturation: 0.16 };

const CLEARINGS: ReadonlyMap<string | undefined, Clearing> = new Map([
  ['haze-removal', { haze: 90, contrast: 0.14, detail: 0.45, saturation: 0.1 }],
  ['color-boost', { haze: 32, contrast: 0.06, detail: 0.1, saturation: 0.3 }],
]);

/** Clears haze and strengthens colour, or greens the plants alone. */
export const editAerial: Operation = async (image, settings) => {
  if (settings.aerialEdit === 'greener-surroundings')
    return changeSeason(image, { ...settings, season: 'summer' });
  const { haze, contrast, detail, saturation } = CLEARINGS.get(settings.aerialEdit) ?? FULL;
  const strength = strengthOf(settings);
  const thumbnail = await thumbnailOf(image, LIGHT.side);
  return relight(image, {
    light: smoothLight(thumbnail, LIGHT),
    curve: weaken(exposureCurve(await measureLevels(thumbnail), contrast, haze), strength),
    detail: 1 + detail * strength,
    saturation: 1 + saturation * strength,
    sharpness: 0.3 * strength,
  });
};
