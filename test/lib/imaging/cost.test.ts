import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { estimateRender, type RenderTarget } from '../../../lib/imaging/cost.ts';
import type { InspectedImage } from '../../../lib/imaging/inspect.ts';

const MB = 1_000_000;
const enhanced: RenderTarget = { longestSide: 2048, neverSmaller: false, format: 'jpeg' };
const cropped: RenderTarget = { ...enhanced, cropped: true };
const upscaled: RenderTarget = { longestSide: 4096, neverSmaller: true, format: 'jpeg' };

const image = (overrides: Partial<InspectedImage> = {}): InspectedImage => ({
  format: 'jpeg',
  width: 4000,
  height: 3000,
  channels: 3,
  bitDepth: 8,
  interlaced: false,
  turned: false,
  frames: 1,
  heldBytes: 0,
  ...overrides,
});
const bytesOf = (overrides: Partial<InspectedImage>, target = upscaled) =>
  estimateRender(image(overrides), target).bytes;
const huge = { width: 10_000, height: 10_000 };

describe('an estimate', () => {
  test('counts the megapixels of the input', () => {
    expect(estimateRender(image(), enhanced).megapixels).toBe(12);
    expect(estimateRender(image(huge), enhanced).megapixels).toBe(100);
  });

  test('is several times smaller for an ordinary image than for the most expensive one', () => {
    expect(bytesOf({}, enhanced)).toBeLessThan(260 * MB);
    expect(bytesOf({ ...huge, heldBytes: 600 * MB, interlaced: true })).toBeGreaterThan(750 * MB);
  });

  test('is smaller for formats that can be scaled down while decoding', () => {
    const webp = { ...huge, format: 'webp' as const };
    expect(bytesOf(webp, enhanced)).toBeLessThan(bytesOf(webp) / 3);
    expect(bytesOf(huge, enhanced)).toBeLessThan(
      bytesOf({ ...huge, interlaced: true, heldBytes: 300 * MB }, enhanced),
    );
  });

  test('counts all pixels of a WebP that is cropped before it is scaled', () => {
    const webp = { ...huge, format: 'webp' as const };
    expect(bytesOf(webp, cropped)).toBeGreaterThan(bytesOf(webp, enhanced) + 700 * MB);
  });

  test('is larger for an image to be rotated, and for an encoder that holds the whole image', () => {
    expect(bytesOf({ ...huge, turned: true })).toBeGreaterThan(bytesOf(huge) + 300 * MB);
    expect(bytesOf(huge, { ...upscaled, format: 'webp' })).toBeGreaterThan(bytesOf(huge) + 300 * MB);
  });

  test('is a safe integer above the size of an empty process for any image within the limits', () => {
    const side = fc.integer({ min: 1, max: 16_384 });
    fc.assert(
      fc.property(side, side, fc.constantFrom('jpeg', 'png', 'webp'), (width, height, format) => {
        for (const target of [enhanced, { ...upscaled, format }]) {
          const { bytes } = estimateRender(image({ width, height, format }), target);
          expect(Number.isSafeInteger(bytes)).toBe(true);
          expect(bytes).toBeGreaterThan(100 * MB);
        }
      }),
    );
  });
});
