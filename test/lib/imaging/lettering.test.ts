import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { captionStrip } from '../../../lib/imaging/caption.ts';
import { lay } from '../../../lib/imaging/ink.ts';
import { FONT_ENVIRONMENT, letter, letterToFit, printable } from '../../../lib/imaging/lettering.ts';
import type { RawImage } from '../../../lib/imaging/libvips.ts';

const ROOT = join(import.meta.dirname, '../../..');

const inkOf = async (text: string) => {
  const mask = await letter(text, 16);
  return mask?.coverage.reduce((sum, coverage) => sum + coverage, 0) ?? 0;
};

describe('printable text', () => {
  test('keeps characters of the font and drops unsupported accents', () => {
    const text = 'Preview · Größe Ωμέγα Привет “50 %” – 3 €';
    expect(printable(text)).toBe(text);
    expect(printable('ǎ e\u0301 ﬁ ①')).toBe('a é fi 1');
  });

  test('replaces other unsupported characters and removes invisible ones', () => {
    expect(printable('漢字 🛋 שלום')).toBe('�� � ����');
    expect(printable('a\u0000b\u202ec\u200dd\ud800e')).toBe('abcde');
    expect(printable('a \t\n\u2003b')).toBe('a b');
    expect(printable(`z${'\u0310\u0489'.repeat(100)}`)).toBe('z');
  });

  test('is bounded for any input, and all of its characters are in the font', async () => {
    const covered = await charactersOf(join(ROOT, 'lib/imaging/fonts/open-sans-semibold.ttf'));
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 1000 }), (text) => {
        const characters = Array.from(printable(text));
        expect(characters.length).toBeLessThanOrEqual(200);
        expect(characters.filter((character) => !covered.has(character.codePointAt(0) ?? 0))).toEqual([]);
      }),
      { numRuns: 500 },
    );
    expect(printable('ﷺ'.repeat(100_000)).length).toBe(200);
    const all = String.fromCodePoint(...Array.from({ length: 0x3000 - 0x20 }, (_, index) => index + 0x20));
    for (const character of all) {
      const [printed = ' '] = Array.from(printable(character));
      expect(covered.has(printed.codePointAt(0) ?? 0)).toBe(true);
    }
  });
});

describe('letters', () => {
  test('are drawn with capitals of the requested height', async () => {
    const line = await letter('HIT', 20);
    expect(line?.height).toBeGreaterThanOrEqual(19);
    expect(line?.height).toBeLessThanOrEqual(22);
  });

  test('do not interpret markup', async () => {
    expect(await inkOf('<b>&amp;</b>')).toBeGreaterThan((await inkOf('b&b')) * 1.5);
    await letter('</span><span size="9999999">', 16);
  });

  test('are undefined for a text without visible characters', async () => {
    expect(await letter(' \u0000\u200b', 16)).toBeUndefined();
  });

  test('are truncated to the width', async () => {
    for (const text of ['sofa', 'W'.repeat(300), '漢'.repeat(300), 'il'.repeat(90)]) {
      for (const width of [5, 60, 300, 100_000]) {
        const line = await letterToFit(text, 16, width);
        expect(line?.width ?? 0).toBeLessThanOrEqual(width);
      }
    }
    expect(await letterToFit('sofa', 16, 1000)).toEqual(await letter('sofa', 16));
  });

  test('need no font of the machine, and print no warning when there is none', async () => {
    const program = `
      const { letter } = await import('./lib/imaging/lettering.ts');
      const { width, coverage } = await letter('Größe Привет', 20);
      console.log(JSON.stringify({ width, ink: coverage.reduce((sum, level) => sum + level, 0) }));`;
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', program],
      { cwd: ROOT, env: { ...FONT_ENVIRONMENT, HOME: '/nonexistent' } },
    );
    const drawn = JSON.parse(stdout) as { width: number; ink: number };
    expect(stderr).toBe('');
    expect(drawn.width).toBeGreaterThan(100);
    expect(drawn.ink).toBeGreaterThan(0);
    // The same font, except for hinting settings of the machine.
    const local = await letter('Größe Привет', 20);
    expect(Math.abs(drawn.width / (local?.width ?? 0) - 1)).toBeLessThan(0.03);
  });
});

describe('a caption', () => {
  const drawn = async (width: number, height: number, title: string) => {
    const image: RawImage = { width, height, pixels: Buffer.alloc(width * height * 3, 0xc0) };
    const strip = await captionStrip(image, { title, note: 'No model is configured.' });
    lay(strip, image, { left: 0, top: height - strip.height });
    return image.pixels;
  };

  test('covers only the bottom of the image', async () => {
    const pixels = await drawn(800, 600, 'virtual-staging');
    const row = (y: number) => pixels.subarray(y * 2400, y * 2400 + 2400);
    expect(row(500).every((level) => level === 0xc0)).toBe(true);
    expect(row(599).every((level) => level < 0xc0)).toBe(true);
    expect(row(567).some((level) => level > 0xe0)).toBe(true);
  });

  test('stays within the image for any length of text', async () => {
    const pixels = await drawn(800, 600, 'W'.repeat(10_000));
    for (let y = 578; y < 600; y++) {
      const end = pixels.subarray((y * 800 + 790) * 3, (y + 1) * 800 * 3);
      expect(end.every((level) => level < 0xc0)).toBe(true);
    }
  });

  test('wraps a long title on a portrait, and leaves two thirds of any image free', async () => {
    const title = 'Preview of Add a piece of furniture: style mid century modern, room type living room.';
    const heightOf = async (width: number, height: number) =>
      (await captionStrip({ width, height }, { title, note: 'No model is configured.' })).height;
    const oneLine = 2048 / 16;
    expect(await heightOf(2048, 1365)).toBe(oneLine);
    expect(await heightOf(1365, 2048)).toBeGreaterThan(oneLine * 1.3);
    expect(await heightOf(683, 2048)).toBeGreaterThan(oneLine * 1.6);
    for (const [width, height] of [
      [2048, 683],
      [683, 2048],
      [2048, 64],
      [64, 2048],
      [1, 1],
    ] as const)
      expect(await heightOf(width, height)).toBeLessThanOrEqual(Math.ceil(height / 3));
  });

  test('has legible letters on the narrowest of usual images', async () => {
    const pixels = await drawn(96, 2048, 'Preview of Declutter.');
    expect(pixels.subarray(96 * 3 * 2000).some((level) => level > 0xe0)).toBe(true);
  });

  test.each([
    [1, 1],
    [2048, 1],
    [1, 2048],
    [16_384, 8],
  ])('works on %i by %i pixels', async (width, height) => {
    await drawn(width, height, 'virtual-staging');
  });
});

/** The characters with a glyph: the segments of the font's cmap in format 4 (OpenType, cmap). */
async function charactersOf(file: string): Promise<Set<number>> {
  const font = await readFile(file);
  const tables = Array.from({ length: font.readUInt16BE(4) }, (_, index) => 12 + index * 16);
  const record = tables.find((at) => font.toString('latin1', at, at + 4) === 'cmap') ?? 0;
  const cmap = font.subarray(font.readUInt32BE(record + 8));
  const offsets = Array.from({ length: cmap.readUInt16BE(2) }, (_, index) =>
    cmap.readUInt32BE(8 + index * 8),
  );
  const format4 = cmap.subarray(offsets.find((offset) => cmap.readUInt16BE(offset) === 4));
  const segments = format4.readUInt16BE(6) / 2;
  const characters = new Set<number>();
  for (let index = 0; index < segments; index++) {
    const last = format4.readUInt16BE(14 + index * 2);
    for (let code = format4.readUInt16BE(16 + (segments + index) * 2); code <= last; code++)
      characters.add(code);
  }
  return characters;
}
