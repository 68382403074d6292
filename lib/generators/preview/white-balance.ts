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
/** Estimates up to the first distance from neutral are believed, beyond the second only with the evidence below. */
const BELIEVED = [0.1, 0.2] as const;
/** Share of the pixels that have the colour of the light: a cast lies on the whole scene, paint on a part of it. */
const COVERAGE = [0.15, 0.3] as const;
/** Distance from the line of lamps and daylight, along which blue falls this much faster than red rises. */
const LOCUS = { slope: 1.4, distance: [0.08, 0.2] } as const;

/**
 * Estimates the colour of the light from the surfaces that are nearly grey in it: the mean shift of the bright,
 * unclipped pixels from neutral to the nearest cluster. Larger clusters farther away are taken for paint and plants,
 * and so is a far one without others, unless it covers the scene in a colour that light can have.
 */
export async function estimateCast(image: RawImage): Promise<Cast> {
  const samples = samplesOf(await thumbnailOf(image, 200));
  let estimate = { red: 0, blue: 0 };
  for (let round = 0; round < ROUNDS; round++) estimate = meanNear(samples, estimate);
  const share = belief(samples, estimate);
  return plausible({ red: -estimate.red * share, blue: -estimate.blue * share });
}

/** Of each usable pixel: logarithms of its red and blue by its green, and what it counts. */
interface Samples {
  count: number;
  /** Of all pixels, with those that are too dark or too bright to tell the light. */
  pixels: number;
  /** Pixels too blue to be grey. */
  blues: number;
  red: Float32Array;
  blue: Float32Array;
  weight: Float32Array;
}

const LOG = Float32Array.from({ length: 256 }, (_, level) => Math.log(Math.max(1, level)));

/** Textured pixels count more, because the largest smooth area outdoors is the sky. */
function samplesOf({ pixels, width, height }: RawImage): Samples {
  const size = width * height;
  const [red, blue, weight] = [new Float32Array(size), new Float32Array(size), new Float32Array(size)];
  let [count, blues] = [0, 0];
  for (let at = 0; at < pixels.length - width * 3; at += 3) {
    const luma = lumaAt(pixels, at);
    const [r, g, b] = [pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0];
    if (luma < 50 || Math.max(r, g, b) > 250 || Math.min(r, g, b) < 12) continue;
    blue[count] = (LOG[b] ?? 0) - (LOG[g] ?? 0);
    if ((blue[count] ?? 0) >= BLUEST) {
      blues++;
      continue;
    }
    red[count] = (LOG[r] ?? 0) - (LOG[g] ?? 0);
    const contrast =
      Math.abs(luma - lumaAt(pixels, at + 3)) + Math.abs(luma - lumaAt(pixels, at + width * 3));
    weight[count] = (luma / 255) ** 2 * (SMOOTH + Math.min(1, contrast / 16));
    count++;
  }
  return { count, pixels: size, blues, red, blue, weight };
}

function meanNear({ count, red, blue, weight }: Samples, near: Cast): Cast {
  let [sumRed, sumBlue, sum] = [0, 0, 1e-9];
  for (let at = 0; at < count; at++) {
    const [dRed, dBlue] = [(red[at] ?? 0) - near.red, (blue[at] ?? 0) - near.blue];
    const share = (weight[at] ?? 0) * Math.exp((dRed * dRed + dBlue * dBlue) / (-2 * SPREAD * SPREAD));
    sumRed += share * (red[at] ?? 0);
    sumBlue += share * (blue[at] ?? 0);
    sum += share;
  }
  return { red: sumRed / sum, blue: sumBlue / sum };
}

/** How much of the estimate is the light's colour rather than that of a surface, 0 to 1. */
function belief({ count, pixels, blues, red, blue }: Samples, light: Cast): number {
  // Under warm light little looks blue.
  let members = light.blue < 0 ? -blues / 2 : 0;
  for (let at = 0; at < count; at++)
    if (Math.hypot((red[at] ?? 0) - light.red, (blue[at] ?? 0) - light.blue) < 2 * SPREAD) members++;
  const aside = Math.abs(LOCUS.slope * light.red + light.blue) / Math.hypot(LOCUS.slope, 1);
  const evidence = rampUp(members / pixels, COVERAGE) * (1 - rampUp(aside, LOCUS.distance));
  return 1 - rampUp(Math.hypot(light.red, light.blue), BELIEVED) * (1 - evidence);
}

const rampUp = (value: number, [from, to]: readonly [number, number]) =>
  clamp((value - from) / (to - from), 0, 1);

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
