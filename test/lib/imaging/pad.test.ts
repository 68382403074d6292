import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitRatio } from '../../../lib/imaging/fit.ts';
import { contentIn, nearestRatio, padToRatio } from '../../../lib/imaging/pad.ts';

const RATIOS = ['1:1', '2:3', '3:2', '4:3', '9:16', '16:9', '21:9'];
const side = fc.integer({ min: 64, max: 4096 });

describe('the nearest ratio', () => {
  test.each([
    [3000, 2000, '3:2'],
    [2000, 3000, '2:3'],
    [4032, 3024, '4:3'],
    [1920, 1200, '3:2'],
    [1000, 1050, '1:1'],
    [5000, 1000, '21:9'],
  ])('of %i x %i is in the list', (width, height, expected) => {
    expect(nearestRatio({ width, height }, RATIOS)).toBe(expected);
  });

  test('is none of an empty list', () => {
    expect(nearestRatio({ width: 2, height: 1 }, [])).toBeUndefined();
  });
});

describe('a padded image', () => {
  test('holds the whole photo, at one of the ratios', () => {
    const property = fc.property(side, side, (width, height) => {
      const padded = padToRatio({ width, height }, RATIOS);
      const { content } = padded;
      expect(content).toMatchObject({ width, height });
      expect(content.left + width).toBeLessThanOrEqual(padded.width);
      expect(content.top + height).toBeLessThanOrEqual(padded.height);
      const ratio = padded.width / padded.height;
      const distances = RATIOS.map((name) => {
        const [across = 1, down = 1] = name.split(':').map(Number);
        return Math.abs(Math.log(ratio / (across / down)));
      });
      expect(Math.min(...distances)).toBeLessThan(0.02);
    });
    fc.assert(property);
  });

  test('gives the photo back from a result of the ratio, whatever its size', () => {
    const property = fc.property(
      side,
      side,
      fc.double({ min: 0.5, max: 4, noNaN: true }),
      (width, height, scale) => {
        const padded = padToRatio({ width, height }, RATIOS);
        const size = { width: Math.round(padded.width * scale), height: Math.round(padded.height * scale) };
        const whole = fitRatio(size, padded);
        if (whole === undefined) throw new Error('The ratio was not kept.');
        const region = contentIn(whole, padded);
        expect(region.left + region.width).toBeLessThanOrEqual(size.width);
        expect(region.top + region.height).toBeLessThanOrEqual(size.height);
        expect(Math.abs(region.width - width * scale)).toBeLessThanOrEqual(scale + 2);
        expect(Math.abs(region.height - height * scale)).toBeLessThanOrEqual(scale + 2);
      },
    );
    fc.assert(property);
  });
});
