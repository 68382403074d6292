import type { Levels } from './levels.ts';

/** The new level for each of the 256 levels, rising; fractions are kept. */
export type Curve = Float32Array;

export const curveOf = (levelOf: (share: number) => number): Curve =>
  Float32Array.from({ length: 256 }, (_, level) => 255 * Math.min(1, Math.max(0, levelOf(level / 255))));

export const UNCHANGED: Curve = curveOf((share) => share);

/** Mixes a curve with the unchanged levels. */
export const weaken = (curve: Curve, strength: number): Curve =>
  curve.map((level, index) => index + (level - index) * strength);

/** The brightest level that is taken for a black under a veil. */
const FOG = 32;

/**
 * Stretches the range to black and white, within bounds so that fog stays fog, moves the mean towards the middle, and
 * adds contrast. White stays white.
 */
export function exposureCurve({ dark, bright, mean }: Levels, contrast: number, haze = FOG): Curve {
  const black = Math.min(dark, haze) * 0.6;
  const white = Math.max(bright, 205);
  const stretched = (share: number) => Math.min(1, Math.max(0, (share * 255 - black) / (white - black)));
  const middle = Math.max(0.05, stretched(mean / 255));
  const gamma = clamp(Math.log(middle + (0.56 - middle) * 0.6) / Math.log(middle), 0.65, 1.05);
  return curveOf((share) => {
    const level = stretched(share) ** gamma;
    return level + contrast * 4 * (level - 0.5) * level * (1 - level);
  });
}

/** Opens the shadows and holds back the highlights; white stays, and so does what is nearly black. */
export const compressCurve = (shadows: number, highlights: number): Curve =>
  curveOf(
    (share) =>
      share + shadows * 6.2 * share ** 1.5 * (1 - share) ** 4 - highlights * 3 * (1 - share) * share ** 4,
  );

export const gammaCurve = (gamma: number): Curve => curveOf((share) => share ** gamma);

/** Applies `then` to the levels of `first`. */
export const chain = (first: Curve, next: Curve): Curve => first.map((level) => levelOn(next, level));

/** The curve at a fraction of a level. */
export function levelOn(curve: Curve, level: number): number {
  const below = Math.min(254, Math.max(0, Math.floor(level)));
  const from = curve[below] ?? 0;
  return from + ((curve[below + 1] ?? 255) - from) * Math.min(1, Math.max(0, level - below));
}

export const clamp = (value: number, from: number, to: number) => Math.min(to, Math.max(from, value));
