import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { drawCaption } from '../../imaging/caption.ts';
import { createMask, drawStrokes, letter, letterToFit } from '../../imaging/lettering.ts';
import { toGlyphs } from '../../imaging/stroke-font.ts';

describe('letters', () => {
  it('are the same for small ones and accented ones', () => {
    expect(toGlyphs('Éclair ß')).toEqual(toGlyphs('ECLAIR SS'));
  });

  it('are a box where the font has none, and one space for any blank', () => {
    const box = toGlyphs('漢');
    expect(toGlyphs('🛋')).toEqual(box);
    expect(toGlyphs('a \t\n\u0000b')).toEqual(toGlyphs('A B'));
  });

  it('exist for whatever slugs and options are made of', () => {
    const [box] = toGlyphs('漢');
    expect(toGlyphs('ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -.,:/()#_·')).not.toContainEqual(box);
  });

  it('stay inside their line for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { width, strokes } = letter(text, 16);
        for (const { x, y } of strokes.flat()) {
          expect(x).toBeGreaterThanOrEqual(0);
          expect(x).toBeLessThanOrEqual(width + 0.001);
          expect(Math.abs(y - 8)).toBeLessThanOrEqual(10);
        }
      }),
    );
  });

  it('are cut to the width they are given', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 0, max: 300 }), (text, width) => {
        expect(letterToFit(text, 16, width).width).toBeLessThanOrEqual(width);
      }),
    );
    expect(letterToFit('sofa', 16, 1000)).toEqual(letter('sofa', 16));
    expect(letterToFit('a sofa by the window', 16, 120)).toEqual(letter('a sofa...', 16));
  });
});

describe('strokes', () => {
  it('that run over an edge come in at the opposite one', () => {
    const mask = createMask({ width: 10, height: 10 });
    drawStrokes(
      mask,
      [
        [
          { x: 8, y: 5 },
          { x: 12, y: 5 },
        ],
      ],
      (point) => point,
      1,
    );
    expect(mask.coverage[5 * 10 + 1]).toBeGreaterThan(0);
    expect(mask.coverage[5 * 10 + 5]).toBe(0);
  });
});

describe('a caption', () => {
  const drawn = async (width: number, height: number, text: string) => {
    const picture = sharp({ create: { width, height, channels: 3, background: '#c0c0c0' } });
    const { data, info } = await drawCaption(picture, { width, height }, text)
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(info).toMatchObject({ width, height, channels: 3 });
    return data;
  };

  it('covers the foot of the picture only', async () => {
    const pixels = await drawn(800, 600, 'virtual-staging');
    const row = (y: number) => pixels.subarray(y * 2400, y * 2400 + 2400);
    expect(row(500).every((level) => level === 0xc0)).toBe(true);
    expect(row(599).every((level) => level < 0xc0)).toBe(true);
    expect(row(585).some((level) => level > 0xe0)).toBe(true);
  });

  it('takes markup and control characters for text', async () => {
    await drawn(400, 300, '</svg><script>&#x0;\u0000\ud800');
  });

  it.each([
    [1, 1],
    [2048, 1],
    [1, 2048],
  ])('does not trip over %i by %i pixels', async (width, height) => {
    await drawn(width, height, 'virtual-staging');
  });
});
