import type { Size } from './libvips.ts';
import { CAPITAL_HEIGHT, type Point, type Stroke, toGlyphs } from './stroke-font.ts';

const LETTER_GAP = 2.4;

/** Strokes of a line of text, y up, capitals `height` pixels high, starting at the origin. */
export interface Lettering {
  width: number;
  strokes: readonly Stroke[];
}

export function letter(text: string, height: number): Lettering {
  const unit = height / CAPITAL_HEIGHT;
  let left = 0;
  const strokes = toGlyphs(text).flatMap((glyph) => {
    const origin = left;
    left += glyph.width + LETTER_GAP;
    return glyph.strokes.map((stroke) => stroke.map(({ x, y }) => ({ x: (origin + x) * unit, y: y * unit })));
  });
  return { width: Math.max(0, left - LETTER_GAP) * unit, strokes };
}

/** The longest beginning of the text that fits the width, with three dots where something is missing. */
export function letterToFit(text: string, height: number, width: number): Lettering {
  const characters = Array.from(text.slice(0, 500));
  for (let length = characters.length; length > 0; length--) {
    const whole = length === text.length;
    const line = letter(whole ? text : `${characters.slice(0, length).join('').trimEnd()}...`, height);
    if (line.width <= width) return line;
  }
  return letter('', height);
}

/** Coverage of each pixel by ink, 0 to 255. */
export interface Mask extends Size {
  coverage: Uint8Array;
}

export const createMask = ({ width, height }: Size): Mask => ({
  width,
  height,
  coverage: new Uint8Array(width * height),
});

/** Draws strokes with round ends, `thickness` pixels wide; what runs over an edge comes in at the opposite one. */
export function drawStrokes(
  mask: Mask,
  strokes: readonly Stroke[],
  place: (point: Point) => Point,
  thickness: number,
): void {
  for (const stroke of strokes) {
    const points = stroke.map(place);
    points.forEach((from, index) => {
      const to = points[index + 1] ?? from;
      if (to !== from || points.length === 1) drawSegment(mask, from, to, thickness / 2);
    });
  }
}

function drawSegment(mask: Mask, from: Point, to: Point, radius: number): void {
  const reach = radius + 1;
  const top = Math.floor(Math.min(from.y, to.y) - reach);
  const bottom = Math.ceil(Math.max(from.y, to.y) + reach);
  const left = Math.floor(Math.min(from.x, to.x) - reach);
  const right = Math.ceil(Math.max(from.x, to.x) + reach);
  for (let y = top; y <= bottom; y++) {
    const row = wrap(y, mask.height) * mask.width;
    for (let x = left; x <= right; x++) {
      const ink = radius + 0.5 - distance(x + 0.5, y + 0.5, from, to);
      if (ink <= 0) continue;
      const index = row + wrap(x, mask.width);
      mask.coverage[index] = Math.max(mask.coverage[index] ?? 0, Math.round(Math.min(1, ink) * 255));
    }
  }
}

const wrap = (value: number, size: number) => ((value % size) + size) % size;

function distance(x: number, y: number, from: Point, to: Point): number {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const lengthSquared = dx * dx + dy * dy;
  const along = lengthSquared === 0 ? 0 : ((x - from.x) * dx + (y - from.y) * dy) / lengthSquared;
  const nearest = Math.min(1, Math.max(0, along));
  return Math.hypot(x - from.x - dx * nearest, y - from.y - dy * nearest);
}
