import type { RawImage } from '../../imaging/libvips.ts';
import { type Curve, clamp, curveOf } from './curve.ts';
import { lumaAt, thumbnailOf } from './plane.ts';

/** Logarithms of the gains of red and blue that make the light neutral, with green as it is. */
export interface Cast {
  red: number;
  blue: number;
}

export const NEUTRAL: Cast = { red: 0, blue: 0 };

/** Pixels whose channels differ by more than about this share from those of the light are coloured surfaces. */
const SPREAD = 0.09;
const ROUNDS = 5;
/** Weight of a pixel without texture. */
const SMOOTH = 0.1;
/** Light is seldom bluer than this, but skies are. */
const BLUEST = 0.2;
/** Light is often much too warm, and rarely much too blue. */
const MAX_COOLING = 0.4;
const MAX_WARMING = 0.15;
/** So much warmth or coolness looks natural. */
const NATURAL = 0.03;

/**
 * Estimates the colour of the light from the surfaces that are nearly grey in it: the mean shift of the bright,
 * unclipped pixels from neutral to the nearest cluster. Larger clusters farther away are taken for paint and plants.
 * Textured pixels count more, because the largest smooth area outdoors is the sky.
 */
export async function estimateCast(image: RawImage): Promise<Cast> {
  const { pixels, width } = await thumbnailOf(image, 200);
  const samples: Sample[] = [];
  for (let at = 0; at < pixels.length - width * 3; at += 3) {
    const [red, green, blue] = [pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0];
    const luma = lumaAt(pixels, at);
    if (luma < 50 || Math.max(red, green, blue) > 250 || Math.min(red, green, blue) < 12) continue;
    const contrast =
      Math.abs(luma - lumaAt(pixels, at + 3)) + Math.abs(luma - lumaAt(pixels, at + width * 3));
    const weight = (luma / 255) ** 2 * (SMOOTH + Math.min(1, contrast / 16));
    const sample = { red: Math.log(red / green), blue: Math.log(blue / green), weight };
    if (sample.blue < BLUEST) samples.push(sample);
  }
  let estimate = { red: 0, blue: 0 };
  for (let round = 0; round < ROUNDS; round++) estimate = meanNear(samples, estimate);
  return plausible({ red: -estimate.red, blue: -estimate.blue });
}

interface Sample extends Cast {
  weight: number;
}

function meanNear(samples: readonly Sample[], near: Cast): Cast {
  let [red, blue, sum] = [0, 0, 1e-9];
  for (const sample of samples) {
    const distance = (sample.red - near.red) ** 2 + (sample.blue - near.blue) ** 2;
    const weight = sample.weight * Math.exp(-distance / (2 * SPREAD * SPREAD));
    red += weight * sample.red;
    blue += weight * sample.blue;
    sum += weight;
  }
  return { red: red / sum, blue: blue / sum };
}

function plausible({ red, blue }: Cast): Cast {
  const distance = Math.hypot(red, blue);
  if (distance <= NATURAL) return NEUTRAL;
  const share = 1 - NATURAL / distance;
  return {
    red: clamp(red * share, -MAX_COOLING, MAX_WARMING),
    blue: clamp(blue * share, -MAX_WARMING, MAX_COOLING),
  };
}

/**
 * Curves of the channels for a share of the correction. They keep the brightness of grey, and white stays white.
 * Nothing when there is nothing to correct.
 */
export function gainsOf({ red, blue }: Cast, share: number): { gains?: readonly [Curve, Curve, Curve] } {
  if (red === 0 && blue === 0) return {};
  const gains = [Math.exp(red * share), 1, Math.exp(blue * share)] as const;
  const brightness = 0.299 * gains[0] + 0.587 + 0.114 * gains[2];
  const channel = (gain: number) => curveOf((level) => softGain(level, gain / brightness));
  return { gains: [channel(gains[0]), channel(gains[1]), channel(gains[2])] };
}

/** A gain that fades out towards white, which would otherwise be clipped or tinted. */
const softGain = (level: number, gain: number) =>
  level * (gain + (1 - gain) * clamp((level - 0.88) / 0.12, 0, 1) ** 2);
