import { join } from 'node:path';
import sharp from 'sharp';
import type { Size } from './libvips.ts';

const FONTS = join(import.meta.dirname, 'fonts');
const FONT_FILE = join(FONTS, 'open-sans-semibold.ttf');
/** The comma keeps Pango from parsing the last word of the family's name as a weight. */
const FAMILY = 'Open Sans Semibold,';
/** Height of a capital letter, in ems. */
const CAPITAL = 0.714;

/**
 * Environment of a process that draws text. Without it fontconfig reads the machine's own
 * configuration: it may scan font folders, write caches, or print a warning to stderr when it finds
 * none.
 */
export const FONT_ENVIRONMENT = Object.freeze({ FONTCONFIG_FILE: join(FONTS, 'fonts.conf') });

/** In characters; bounds the cost of a text. No line has room for more. */
const MAX_LENGTH = 200;
const REPLACEMENT = '\u{fffd}';
/** Characters without a glyph in the shipped font. */
const UNCOVERED =
  /[^\u{20}-\u{7e}\u{a0}-\u{17f}\u{386}\u{388}-\u{38a}\u{38c}\u{38e}-\u{3a1}\u{3a3}-\u{3ce}\u{400}-\u{482}\u{48a}-\u{513}\u{1e80}-\u{1e85}\u{1ea0}-\u{1ef9}\u{2013}-\u{2015}\u{2018}-\u{201e}\u{2020}-\u{2022}\u{2026}\u{2030}\u{2039}\u{203a}\u{20ac}\u{2116}\u{2122}\u{2212}\u{2248}\u{2260}\u{2264}\u{2265}]/gu;

/** Coverage of each pixel, 0 to 255. */
export interface LetterMask extends Size {
  coverage: Buffer;
}

/**
 * Renders one line with capitals `capital` pixels high, cropped to its glyphs; undefined when
 * nothing is visible.
 */
export async function letter(text: string, capital: number): Promise<LetterMask | undefined> {
  const line = printable(text);
  if (line.trim() === '') return undefined;
  const { data, info } = await sharp({
    text: {
      text: escapeMarkup(line),
      font: `${FAMILY} ${(capital / CAPITAL).toFixed(2)}`,
      fontfile: FONT_FILE,
      dpi: 72,
    },
  })
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { coverage: data, width: info.width, height: info.height };
}

/** Renders as much of the text as fits the width; a truncated text ends with three dots. */
export async function letterToFit(
  text: string,
  capital: number,
  width: number,
): Promise<LetterMask | undefined> {
  const whole = await letter(text, capital);
  if (whole === undefined || whole.width <= width) return whole;
  const characters = Array.from(printable(text));
  // Glyphs differ in width: start from the average and shorten until it fits.
  for (let share = width / whole.width; share > 0.01; share *= 0.9) {
    const start = characters.slice(0, Math.floor(characters.length * share));
    const cut = await letter(`${start.join('').trimEnd()}...`, capital);
    if (start.length > 0 && cut !== undefined && cut.width <= width) return cut;
  }
  return undefined;
}

/**
 * Breaks the text between words into lines of at most this width. The last of `most` lines is
 * truncated.
 */
export async function letterLines(
  text: string,
  capital: number,
  { width, most }: { width: number; most: number },
): Promise<LetterMask[]> {
  const lines: LetterMask[] = [];
  let words = printable(text).trim().split(' ');
  while (words.length > 0 && lines.length < most) {
    const count = lines.length + 1 < most ? await wordsThatFit(words, capital, width) : words.length;
    const line = await letterToFit(words.slice(0, count).join(' '), capital, width);
    if (line === undefined) break;
    lines.push(line);
    words = words.slice(count);
  }
  return lines;
}

/** At least one, which may be too long by itself. */
async function wordsThatFit(words: readonly string[], capital: number, width: number): Promise<number> {
  for (let count = words.length; count > 1; ) {
    const line = await letter(words.slice(0, count).join(' '), capital);
    if (line === undefined || line.width <= width) return count;
    count = Math.max(1, Math.min(count - 1, Math.ceil((count * width * 1.1) / line.width)));
  }
  return 1;
}

/**
 * Reduces any text to one line of supported characters: unsupported accents are dropped, others are
 * replaced.
 */
export function printable(text: string): string {
  const line = text
    .slice(0, 2 * MAX_LENGTH)
    .normalize('NFC')
    .replace(/\s+/gu, ' ')
    .replace(/\p{C}/gu, '');
  const covered = line.replace(UNCOVERED, (character) =>
    character.normalize('NFKD').replace(/\p{M}/gu, '').replace(UNCOVERED, REPLACEMENT),
  );
  return Array.from(covered).slice(0, MAX_LENGTH).join('');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** libvips passes the text to Pango as markup. */
const escapeMarkup = (text: string) => text.replace(/[&<>]/g, (sign) => ENTITIES[sign] ?? '');
