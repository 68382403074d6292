import type { RawImage } from '../../imaging/libvips.ts';
import { type Curve, levelOn } from './curve.ts';
import { type GuidedMap, guidedRows } from './guided.ts';
import { lumaAt } from './plane.ts';

export interface Relighting {
  /** Applied to each channel first. */
  gains?: readonly [red: Curve, green: Curve, blue: Curve];
  /** The light of the scene, without its detail. Without it, `curve` applies to each pixel by itself. */
  light?: GuidedMap;
  /** New levels of the light. */
  curve: Curve;
  /** Factor of the detail, which is the difference between a pixel and the light; 1 keeps it. */
  detail?: number;
  /** Factor of the distance of the channels from their luma; 1 keeps it. */
  saturation?: number;
  /** 0 to 1. */
  sharpness?: number;
}

/** Entries of the table per level, so that smooth gradients do not turn into steps. */
const STEPS = 4;
const LAST = 256 * STEPS - 1;
const MAX_COLOUR_GAIN = 1.5;

/** Changes light and colour of an image, in place and in one pass over its pixels. */
export function relight(image: RawImage, relighting: Relighting): RawImage {
  const { gains, light, curve, detail = 1, saturation = 1, sharpness = 0 } = relighting;
  if (gains !== undefined) applyGains(image, gains);
  const { pixels, width, height } = image;
  const table = Float32Array.from({ length: 256 * STEPS }, (_, index) => levelOn(curve, index / STEPS));
  const lightAt = light && guidedRows(light, image);
  const lumaAround = lumaWindow(image);
  const sharpening = new Float32Array(width);
  const goals = new Float32Array(width);
  for (let y = 0; y < height; y++) {
    const around = lumaAround(y);
    if (sharpness > 0) sharpenRow(sharpening, around, sharpness);
    const luma = around[1];
    setGoals(goals, luma, { table, detail, sharpening, light: lightAt?.(y) });
    for (let x = 0, at = y * width * 3; x < width; x++, at += 3) {
      const [from, goal] = [luma[x] ?? 0, goals[x] ?? 0];
      const gain = (goal + 16) / (from + 16);
      const colour = saturation * (gain > MAX_COLOUR_GAIN ? MAX_COLOUR_GAIN : gain);
      const base = goal - from * colour + 0.5;
      pixels[at] = toLevel(base + (pixels[at] ?? 0) * colour);
      pixels[at + 1] = toLevel(base + (pixels[at + 1] ?? 0) * colour);
      pixels[at + 2] = toLevel(base + (pixels[at + 2] ?? 0) * colour);
    }
  }
  return image;
}

interface Goal {
  table: Float32Array;
  detail: number;
  sharpening: Float32Array;
  light: { slope: Float32Array; offset: Float32Array } | undefined;
}

/** The new luma of each pixel of a row. */
function setGoals(goals: Float32Array, luma: Float32Array, { table, detail, sharpening, light }: Goal): void {
  if (light === undefined) {
    for (let x = 0; x < goals.length; x++)
      goals[x] = (table[indexOf(luma[x] ?? 0)] ?? 0) + (sharpening[x] ?? 0);
    return;
  }
  const { slope, offset } = light;
  for (let x = 0; x < goals.length; x++) {
    const from = luma[x] ?? 0;
    const lit = (slope[x] ?? 0) * from + (offset[x] ?? 0);
    goals[x] = (table[indexOf(lit)] ?? 0) + (from - lit) * detail + (sharpening[x] ?? 0);
  }
}

const indexOf = (level: number) => (level <= 0 ? 0 : level >= 255 ? LAST : (level * STEPS + 0.5) | 0);

/** Clamps; faster than a clamped array. */
const toLevel = (value: number) => (value <= 0 ? 0 : value >= 255 ? 255 : value | 0);

function applyGains({ pixels }: RawImage, gains: readonly [Curve, Curve, Curve]): void {
  const [red, green, blue] = gains.map((curve) => Uint8ClampedArray.from(curve)) as [
    Uint8ClampedArray,
    Uint8ClampedArray,
    Uint8ClampedArray,
  ];
  for (let at = 0; at < pixels.length; at += 3) {
    pixels[at] = red[pixels[at] ?? 0] ?? 0;
    pixels[at + 1] = green[pixels[at + 1] ?? 0] ?? 0;
    pixels[at + 2] = blue[pixels[at + 2] ?? 0] ?? 0;
  }
}

/** Differences of luma below this may be noise and are sharpened less; very large ones are limited to avoid halos. */
const NOISE = 4;
const MAX_SHARPENING = 24;

/** The sharpening by the difference of luma in halves of a level, plus 510. */
const SHARPENING = Float32Array.from({ length: 1021 }, (_, index) => {
  const difference = (index - 510) / 2;
  const raised = (2 * difference ** 3) / (difference ** 2 + NOISE ** 2);
  return Math.min(MAX_SHARPENING, Math.max(-MAX_SHARPENING, raised));
});

type Rows = readonly [above: Float32Array, own: Float32Array, below: Float32Array];

/**
 * The luma of a row and of its neighbours. Rows must be read from the top, and each before the image is changed below
 * the row above it.
 */
function lumaWindow({ pixels, width, height }: RawImage): (y: number) => Rows {
  let [above, own, below] = [0, 1, 2].map(() => new Float32Array(width)) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const read = (row: Float32Array, y: number) => {
    for (let x = 0, at = y * width * 3; x < width; x++, at += 3) row[x] = lumaAt(pixels, at);
  };
  read(below, 0);
  return (y) => {
    [above, own, below] = [own, below, above];
    if (y === 0) above.set(own);
    if (y + 1 < height) read(below, y + 1);
    else below.set(own);
    return [above, own, below];
  };
}

/** By the difference of each pixel from the weighted mean of its 3 by 3 neighbours. */
function sharpenRow(sharpening: Float32Array, [above, own, below]: Rows, sharpness: number): void {
  const column = (x: number) => (above[x] ?? 0) + 2 * (own[x] ?? 0) + (below[x] ?? 0);
  let left = column(0);
  let centre = left;
  for (let x = 0; x < own.length; x++) {
    const right = x + 1 < own.length ? column(x + 1) : centre;
    const difference = (own[x] ?? 0) * 16 - left - 2 * centre - right;
    sharpening[x] = (SHARPENING[(difference >> 3) + 510] ?? 0) * sharpness;
    left = centre;
    centre = right;
  }
}
