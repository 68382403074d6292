import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askedSize } from '../../../../lib/generators/upstream/asked-size.ts';

const OPENAI = { multiple: 16, mostPixels: 8_290_000, mostLongestSide: 3840, mostRatio: 3 };
const BFL = { multiple: 16, mostPixels: 4_000_000 };
const target = (longestSide: number) => ({ longestSide, neverSmaller: false });

describe('the size that is asked for', () => {
  it.each([
    ['2K of 3:2', 3000, 2000, 2048, OPENAI, '2048x1360'],
    ['4K of 3:2, as far as the pixels go', 3000, 2000, 4096, OPENAI, '3520x2336'],
    ['4K of 3:1, as far as the longest side goes', 3000, 1000, 4096, OPENAI, '3840x1280'],
    ['2K of a portrait', 2000, 3000, 2048, OPENAI, '1360x2048'],
    ['4K of 3:2 in 4 megapixels', 3000, 2000, 4096, BFL, '2448x1632'],
    ['2K of 1:3, which rounding takes beyond 1:3', 400, 1200, 2048, OPENAI, '672x2016'],
    ['a line', 3000, 2, 2048, BFL, '2048x16'],
  ])('is %s', (_, width, height, longestSide, limits, expected) => {
    const size = askedSize({ width, height, target: target(longestSide) }, limits);
    expect(`${size.width}x${size.height}`).toBe(expected);
  });

  it('keeps the limits, and is near the ratio of the input', () => {
    const side = fc.integer({ min: 300, max: 9000 });
    const property = fc.property(side, side, fc.constantFrom(2048, 4096), (width, height, longestSide) => {
      fc.pre(Math.max(width / height, height / width) <= 3);
      const size = askedSize({ width, height, target: target(longestSide) }, OPENAI);
      expect([size.width % 16, size.height % 16]).toEqual([0, 0]);
      expect(Math.max(size.width, size.height)).toBeLessThanOrEqual(3840);
      expect(Math.max(size.width / size.height, size.height / size.width)).toBeLessThanOrEqual(3);
      expect(size.width * size.height).toBeLessThanOrEqual(OPENAI.mostPixels);
      const drift = Math.abs(Math.log(size.width / size.height / (width / height)));
      // Each side loses less than 16 pixels, and a pixel to rounding before; at 3:1 the longer one
      // loses up to 48 more.
      expect(drift).toBeLessThan(
        17 / Math.min(size.width, size.height) + 48 / Math.max(size.width, size.height),
      );
    });
    fc.assert(property);
  });
});
