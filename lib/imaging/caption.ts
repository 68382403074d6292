import { type Ink, inkOf } from './ink.ts';
import { type LetterMask, letterLines, letterToFit } from './lettering.ts';
import type { Size } from './libvips.ts';

/** Any text; the title is wrapped, and both are cut to what the image has room for. */
export interface Caption {
  title: string;
  note: string;
}

/** Opacity of the strip, 0 to 255: the image still shows through. */
const STRIP_ALPHA = 178;
/**
 * Height of a strip with one line of title: a share of the longest side, at most of the height and
 * of the width.
 */
const STRIP = { share: 1 / 16, ofHeight: 1 / 3, ofWidth: 0.31 };
const MOST_LINES = 3;
/**
 * In such heights: where each line is centred, the height of its capitals, and what another line of
 * title adds.
 */
const TITLE = { middle: 0.33, capital: 0.215, level: 255 };
const NOTE = { middle: 0.7, capital: 0.165, level: 205 };
const PITCH = 0.36;
const MARGIN = 0.32;
/** In pixels; smaller capitals are illegible. */
const MIN_CAPITAL = 4;

interface Line {
  mask: LetterMask;
  middle: number;
  level: number;
}

/** A dark strip with the caption, as wide as the image, for its bottom. */
export async function captionStrip(size: Size, { title, note }: Caption): Promise<Ink> {
  const unit = Math.min(
    Math.round(Math.max(size.width, size.height) * STRIP.share),
    Math.ceil(size.height * STRIP.ofHeight),
    Math.ceil(size.width * STRIP.ofWidth),
  );
  const lines: Line[] = [];
  const room = size.width - 2 * MARGIN * unit;
  const most = Math.min(MOST_LINES, 1 + Math.floor((size.height * STRIP.ofHeight - unit) / (PITCH * unit)));
  if (unit * TITLE.capital >= MIN_CAPITAL && room >= 1) {
    const masks = await letterLines(title, unit * TITLE.capital, { width: room, most: Math.max(1, most) });
    lines.push(...masks.map((mask, index) => lineAt(unit, mask, TITLE, index)));
  }
  const extra = Math.max(0, lines.length - 1);
  if (unit * NOTE.capital >= MIN_CAPITAL && room >= 1) {
    const mask = await letterToFit(note, unit * NOTE.capital, room);
    if (mask !== undefined) lines.push(lineAt(unit, mask, NOTE, extra));
  }
  return drawStrip({ width: size.width, height: Math.round(unit * (1 + PITCH * extra)) }, lines, unit);
}

const lineAt = (unit: number, mask: LetterMask, { middle, level }: typeof TITLE, extra: number): Line => ({
  mask,
  level,
  middle: unit * (middle + PITCH * extra),
});

function drawStrip(strip: Size, lines: readonly Line[], unit: number): Ink {
  const rgba = Buffer.alloc(strip.width * strip.height * 4, Buffer.from([0, 0, 0, STRIP_ALPHA]));
  for (const line of lines) write(rgba, strip, line, Math.round(unit * MARGIN));
  return inkOf(rgba, strip);
}

function write(rgba: Buffer, strip: Size, { mask, middle, level }: Line, left: number): void {
  const top = Math.round(middle - mask.height / 2);
  mask.coverage.forEach((coverage, pixel) => {
    const y = top + Math.floor(pixel / mask.width);
    if (y < 0 || y >= strip.height || coverage === 0) return;
    const at = (y * strip.width + left + (pixel % mask.width)) * 4;
    rgba.fill(Math.round((coverage * level) / 255), at, at + 3);
    rgba[at + 3] = Math.max(STRIP_ALPHA, coverage);
  });
}
