import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitRatio } from '../../../lib/imaging/fit.ts';

const INPUT = { width: 3000, height: 2000 };
const ratioOf = ({ width, height }: { width: number; height: number }) => width / height;
const drift = (a: { width: number; height: number }, b: { width: number; height: number }) =>
  Math.abs(Math.log(ratioOf(a) / ratioOf(b)));

describe('the part of an image that has the ratio of the input', () => {
  test.each([
    ['the same ratio', 1536, 1024],
    ['1 % wider', 1551, 1024],
    ['2 % higher', 1536, 1044],
    ['sides rounded to multiples of 16', 2048, 1360],
  ])('is all of it: %s', (_, width, height) => {
    expect(fitRatio({ width, height }, INPUT)).toEqual({ left: 0, top: 0, width, height });
  });

  test.each([
    ['6 % wider', 1590, 1000, { left: 45, top: 0, width: 1500, height: 1000 }],
    ['6 % higher', 1500, 1060, { left: 0, top: 30, width: 1500, height: 1000 }],
  ])('is its centre: %s', (_, width, height, region) => {
    expect(fitRatio({ width, height }, INPUT)).toEqual(region);
  });

  test.each([
    ['9 % wider', 1635, 1000],
    ['9 % higher', 1500, 1090],
    ['square', 1024, 1024],
    ['turned', 1000, 1500],
  ])('does not exist: %s', (_, width, height) => {
    expect(fitRatio({ width, height }, INPUT)).toBeUndefined();
  });

  test('lies within the image, cuts at most 8 % off one side, and has the ratio to within a pixel', () => {
    const side = fc.integer({ min: 64, max: 8192 });
    const size = fc.record({ width: side, height: side });
    const property = fc.property(size, size, (image, to) => {
      const region = fitRatio(image, to);
      if (region === undefined) return drift(image, to) > Math.log(1.08);
      const { left, top, width, height } = region;
      expect(left + width).toBeLessThanOrEqual(image.width);
      expect(top + height).toBeLessThanOrEqual(image.height);
      expect(width === image.width || height === image.height).toBe(true);
      expect((width / image.width) * (height / image.height)).toBeGreaterThan(1 / 1.08 - 0.01);
      const isWhole = width === image.width && height === image.height;
      return drift(region, to) <= (isWhole ? Math.log(1.02) + 1e-9 : 1 / Math.min(width, height));
    });
    fc.assert(property, { numRuns: 2000 });
  });

  test('is found for every image whose ratio is within 8 %', () => {
    const property = fc.property(
      fc.integer({ min: 64, max: 8192 }),
      fc.double({ min: 1 / 1.079, max: 1.079, noNaN: true }),
      (height, factor) => fitRatio({ width: height * 1.5 * factor, height }, INPUT) !== undefined,
    );
    fc.assert(property);
  });
});
