import type { RawImage } from '../../imaging/libvips.ts';
import { type Curve, levelOn } from './curve.ts';
import { type GuidedMap, guidedRows } from './guided.ts';

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
/** Binary places of the fixed-point factors of the innermost loop; integers are twice as fast there. */
const PLACES = 12;
const ONE = 1 << PLACES;

/** Changes light and colour of an image, in place and in one pass over its pixels. */
export function relight(image: RawImage, relighting: Relighting): RawImage {
  const { gains, light, curve, detail = 1, saturation = 1, sharpness = 0 } = relighting;
  const table = Float32Array.from({ length: 256 * STEPS }, (_, index) => levelOn(curve, index / STEPS));
  const lightAt = light && guidedRows(light, image);
  const lumaAround = lumaWindow(image, gains);
  const sharpening = new Float32Array(image.width);
  const goals = new Float32Array(image.width);
  for (let y = 0; y < image.height; y++) {
    const around = lumaAround(y);
    if (sharpness > 0) sharpenRow(sharpening, around, sharpness);
    setGoals(goals, around[1], { table, detail, sharpening, light: lightAt?.(y) });
    recolour(image, y, around[1], goals, saturation);
  }
  return image;
}

/** Moves the pixels of a row to their new luma, and their distance from it with the light that they got. */
function recolour(
  { pixels, width }: RawImage,
  y: number,
  luma: Luma,
  goals: Float32Array,
  saturation: number,
) {
  for (let x = 0, at = y * width * 3; x < width; x++, at += 3) {
    const from = (luma[x] ?? 0) / FRACTION;
    const goal = goals[x] ?? 0;
    const gain = (goal + 16) / (from + 16);
    const colour = saturation * (gain > MAX_COLOUR_GAIN ? MAX_COLOUR_GAIN : gain);
    const base = ((goal - from * colour + 0.5) * ONE) | 0;
    const factor = (colour * ONE) | 0;
    pixels[at] = toLevel((base + (pixels[at] ?? 0) * factor) >> PLACES);
    pixels[at + 1] = toLevel((base + (pixels[at + 1] ?? 0) * factor) >> PLACES);
    pixels[at + 2] = toLevel((base + (pixels[at + 2] ?? 0) * factor) >> PLACES);
  }
}

const toLevel = (value: number) => (value <= 0 ? 0 : value >= 255 ? 255 : value);

/** Luma in so many parts of a level. */
type Luma = Int32Array;
const FRACTION = 16;

interface Goal {
  table: Float32Array;
  detail: number;
  sharpening: Float32Array;
  light: { slope: Float32Array; offset: Float32Array } | undefined;
}

/** The new luma of each pixel of a row. */
function setGoals(goals: Float32Array, luma: Luma, { table, detail, sharpening, light }: Goal): void {
  if (light === undefined) {
    for (let x = 0; x < goals.length; x++)
      goals[x] = (table[indexOf((luma[x] ?? 0) / FRACTION)] ?? 0) + (sharpening[x] ?? 0);
    return;
  }
  const { slope, offset } = light;
  for (let x = 0; x < goals.length; x++) {
    const from = (luma[x] ?? 0) / FRACTION;
    const lit = (slope[x] ?? 0) * from + (offset[x] ?? 0);
    goals[x] = (table[indexOf(lit)] ?? 0) + (from - lit) * detail + (sharpening[x] ?? 0);
  }
}

const indexOf = (level: number) => (level <= 0 ? 0 : level >= 255 ? LAST : (level * STEPS + 0.5) | 0);

/** Differences of luma below this may be noise and are sharpened less; very large ones are limited to avoid halos. */
const NOISE = 4;
const MAX_SHARPENING = 24;

/** The sharpening by the difference of luma in halves of a level, plus 510. */
const SHARPENING = Float32Array.from({ length: 1021 }, (_, index) => {
  const difference = (index - 510) / 2;
  const raised = (2 * difference ** 3) / (difference ** 2 + NOISE ** 2);
  return Math.min(MAX_SHARPENING, Math.max(-MAX_SHARPENING, raised));
});

type Rows = readonly [above: Luma, own: Luma, below: Luma];

/**
 * The luma of a row and of its neighbours, with the gains applied to the image. Rows must be read from the top, and
 * each before the image is changed below the row above it.
 */
function lumaWindow({ pixels, width, height }: RawImage, gains: Relighting['gains']): (y: number) => Rows {
  const tables = gains?.map((curve) => Uint8ClampedArray.from(curve));
  let [above, own, below] = [new Int32Array(width), new Int32Array(width), new Int32Array(width)];
  const read = (row: Luma, y: number) => {
    const line = pixels.subarray(y * width * 3, (y + 1) * width * 3);
    if (tables !== undefined) applyTables(line, tables);
    readLuma(row, line);
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

/** Luma of Rec. 601 in fixed point. */
function readLuma(row: Luma, line: Buffer): void {
  for (let x = 0, at = 0; x < row.length; x++, at += 3)
    row[x] = ((line[at] ?? 0) * 4899 + (line[at + 1] ?? 0) * 9617 + (line[at + 2] ?? 0) * 1868 + 512) >> 10;
}

function applyTables(line: Buffer, [red, green, blue]: readonly Uint8ClampedArray[]): void {
  if (red === undefined || green === undefined || blue === undefined) return;
  for (let at = 0; at < line.length; at += 3) {
    line[at] = red[line[at] ?? 0] ?? 0;
    line[at + 1] = green[line[at + 1] ?? 0] ?? 0;
    line[at + 2] = blue[line[at + 2] ?? 0] ?? 0;
  }
}

/** By the difference of each pixel from the weighted mean of its 3 by 3 neighbours. */
function sharpenRow(sharpening: Float32Array, [above, own, below]: Rows, sharpness: number): void {
  let left = (above[0] ?? 0) + 2 * (own[0] ?? 0) + (below[0] ?? 0);
  let centre = left;
  const last = own.length - 1;
  for (let x = 0; x <= last; x++) {
    const next = x < last ? x + 1 : x;
    const right = (above[next] ?? 0) + 2 * (own[next] ?? 0) + (below[next] ?? 0);
    // The weights add up to 16; the table has two entries per level.
    const difference = (own[x] ?? 0) * 16 - left - 2 * centre - right;
    sharpening[x] = (SHARPENING[(difference >> 7) + 510] ?? 0) * sharpness;
    left = centre;
    centre = right;
  }
}
