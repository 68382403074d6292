import { inkOf, lay } from './ink.ts';
import { letterToFit, type Mask } from './lettering.ts';
import type { RawImage, Size } from './libvips.ts';

/** Two lines of any text; each is cut to the width of the image. */
export interface Caption {
  title: string;
  note: string;
}

/** Opacity of the strip, 0 to 255: the image still shows through. */
const STRIP_ALPHA = 178;
/** Height of the strip as a share of the longest side, and at most of the height. */
const STRIP = { share: 1 / 16, most: 1 / 3 };
/** In heights of the strip: where each line is centred, and the height of its capitals. */
const TITLE = { middle: 0.33, capital: 0.215, level: 255 };
const NOTE = { middle: 0.7, capital: 0.165, level: 205 };
const MARGIN = 0.32;
/** In pixels; smaller capitals are illegible. */
const MIN_CAPITAL = 4;

/** The height of the strip that a caption covers at the bottom of an image. */
export function captionHeight({ width, height }: Size): number {
  return Math.max(
    1,
    Math.min(Math.round(Math.max(width, height) * STRIP.share), Math.ceil(height * STRIP.most)),
  );
}

/** Draws the caption in a dark strip over the bottom of the image, in place. */
export async function drawCaption(image: RawImage, { title, note }: Caption): Promise<void> {
  const strip = { width: image.width, height: captionHeight(image) };
  const rgba = Buffer.alloc(strip.width * strip.height * 4, Buffer.from([0, 0, 0, STRIP_ALPHA]));
  for (const [text, line] of [
    [title, TITLE],
    [note, NOTE],
  ] as const) {
    const [capital, room] = [strip.height * line.capital, strip.width - 2 * MARGIN * strip.height];
    const mask = capital < MIN_CAPITAL || room < 1 ? undefined : await letterToFit(text, capital, room);
    if (mask !== undefined) write(rgba, strip, mask, line);
  }
  lay(inkOf(rgba, strip), image, { left: 0, top: image.height - strip.height });
}

function write(rgba: Buffer, strip: Size, mask: Mask, line: { middle: number; level: number }): void {
  const left = Math.round(strip.height * MARGIN);
  const top = Math.round(strip.height * line.middle - mask.height / 2);
  mask.coverage.forEach((coverage, pixel) => {
    const y = top + Math.floor(pixel / mask.width);
    if (y < 0 || y >= strip.height || coverage === 0) return;
    const at = (y * strip.width + left + (pixel % mask.width)) * 4;
    rgba.fill(Math.round((coverage * line.level) / 255), at, at + 3);
    rgba[at + 3] = Math.max(STRIP_ALPHA, coverage);
  });
}
