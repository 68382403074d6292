import type { RawImage } from '../../imaging/libvips.ts';
import {
  type Curve,
  chain,
  compressCurve,
  curveOf,
  exposureCurve,
  gammaCurve,
  UNCHANGED,
  weaken,
} from './curve.ts';
import { smoothLight } from './guided.ts';
import { measureLevels } from './levels.ts';
import type { Operation, Settings } from './operation.ts';
import { thumbnailOf } from './plane.ts';
import { type Relighting, relight } from './relight.ts';
import { type Cast, estimateCast, gainsOf, NEUTRAL } from './white-balance.ts';

const STRENGTHS: ReadonlyMap<string | undefined, number> = new Map([
  ['subtle', 0.5],
  ['strong', 1.4],
]);

/** Factor of an effect by the job's `intensity`. */
export const strengthOf = ({ intensity }: Settings) => STRENGTHS.get(intensity) ?? 1;

/** Small enough to follow objects, and sensitive enough to keep the light of one from spilling over the next. */
export const LIGHT = { side: 256, radius: 0.05, edge: 14 };

export const enhance: Operation = async (image, settings) => {
  const strength = strengthOf(settings);
  const thumbnail = await thumbnailOf(image, LIGHT.side);
  const [levels, cast] = await Promise.all([measureLevels(thumbnail), estimateCast(thumbnail)]);
  return relight(image, {
    ...gainsOf(cast, 0.4 * strength),
    light: smoothLight(thumbnail, LIGHT),
    curve: weaken(chain(compressCurve(0.12, 0.06), exposureCurve(levels, 0.1)), strength),
    detail: 1 + 0.22 * strength,
    saturation: 1 + 0.08 * strength,
    sharpness: 0.35 * strength,
  });
};

export const mergeExposures: Operation = async (image, settings) => {
  const strength = strengthOf(settings);
  const thumbnail = await thumbnailOf(image, LIGHT.side);
  const levels = await measureLevels(thumbnail);
  return relight(image, {
    light: smoothLight(thumbnail, LIGHT),
    curve: weaken(chain(compressCurve(0.5, 0.3), exposureCurve(levels, 0.05)), strength),
    detail: 1 + 0.45 * strength,
    saturation: 1 + 0.1 * strength,
    sharpness: 0.2 * strength,
  });
};

const TINTS: ReadonlyMap<string | undefined, Cast> = new Map([
  ['warm', { red: 0.06, blue: -0.1 }],
  ['cool', { red: -0.07, blue: 0.07 }],
]);
const SATURATION: ReadonlyMap<string | undefined, number> = new Map([
  ['muted', 0.8],
  ['vivid', 1.3],
]);
/** In full, a room under lamps would lose its warmth. */
const AUTOMATIC = 0.8;

export const correctColour: Operation = async (image, { whiteBalance, saturation }) => {
  const cast = await estimateCast(image);
  const tint = TINTS.get(whiteBalance) ?? NEUTRAL;
  const share = whiteBalance === 'neutral' ? 1 : AUTOMATIC;
  const total = { red: cast.red * share + tint.red, blue: cast.blue * share + tint.blue };
  return relight(image, {
    ...gainsOf(total, 1),
    curve: UNCHANGED,
    saturation: SATURATION.get(saturation) ?? 1.04,
  });
};

/** What each mode does to the light of the scene; without an entry, dark and bright areas are evened out. */
const LIGHT_CURVES: ReadonlyMap<string | undefined, Curve> = new Map([
  ['lift-shadows', compressCurve(0.8, 0)],
  ['recover-highlights', compressCurve(0, 0.7)],
  ['brighten', gammaCurve(0.72)],
  ['darken', curveOf((share) => 0.94 * share ** 1.35)],
]);
const BALANCED = compressCurve(0.6, 0.18);

export const adjustLight: Operation = async (image, settings) => {
  const strength = strengthOf(settings);
  const tint = TINTS.get(settings.lightColor) ?? NEUTRAL;
  const relighting: Relighting = {
    light: smoothLight(await thumbnailOf(image, LIGHT.side), LIGHT),
    curve: weaken(LIGHT_CURVES.get(settings.lightingMode) ?? BALANCED, strength),
    detail: 1.1,
    ...gainsOf(tint, 1),
  };
  return relight(image, relighting);
};

/** Enlarging leaves edges soft; the larger the step, the less fine detail there is to sharpen. */
export const sharpenDetail = async (image: RawImage) => relight(image, { curve: UNCHANGED, sharpness: 0.9 });
