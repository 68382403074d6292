import { clamp } from './curve.ts';
import { ramp } from './plants.ts';

/** A pixel of the lawn. */
export interface LawnPixel {
  luma: number;
  /** The luma around it. */
  local: number;
  /** The luma around it as a share of the mean of the lawn: below 1 in the shade. */
  lit: number;
  /** Smooth noise from 0 to 1. */
  patch: number;
}

/** Luma of snow in the light of the lawn. */
const SNOW = 224;
/** How much of the grass below shows as texture. */
const TEXTURE = 0.8;

/** The luma of snow that keeps the shadows and the texture of the lawn below it. */
export const snowLuma = ({ luma, local, lit, patch }: LawnPixel) =>
  SNOW * softened(clamp(lit, 0.4, 1.08)) + TEXTURE * (luma - local) + 14 * (0.5 - patch);

/** To the power of 0.75, which in this form is several times as fast. */
function softened(light: number): number {
  const root = Math.sqrt(light);
  return root * Math.sqrt(root);
}

/** What snow in the light and in the shade has of each channel, for a luma of 1. */
export const SNOW_TINT = { light: [0.99, 1, 1.015], shade: [0.88, 0.97, 1.08] } as const;

/** The share of the ground that snow hides: less in some patches, and less on blades that stand out. */
export function snowCover({ luma, local, patch }: LawnPixel, strength: number): number {
  const thin = ramp(patch, 0.75 * strength - 0.1, 0.75 * strength + 0.2);
  const blades = ramp(Math.abs(luma - local), 6, 36);
  return 0.97 - thin * (0.4 + 0.4 * blades) - 0.1 * blades;
}
