import { beforeAll, describe, expect, test } from 'vitest';
import { configureLibvips, type RawImage } from '../../../../lib/imaging/libvips.ts';
import { type Area, declines, draw, editLocally, measure, photo } from './images.ts';

beforeAll(configureLibvips);

const SKY: Area = { left: 0.05, top: 0.02, width: 0.3, height: 0.1 };
const BRICKS: Area = { left: 0.56, top: 0.5, width: 0.06, height: 0.06 };
const LAWN: Area = { left: 0.05, top: 0.88, width: 0.3, height: 0.1 };
const HAZE: Area = { left: 0.01, top: 0.63, width: 0.04, height: 0.02 };
const POCKET: Area = { left: 0.74, top: 0.655, width: 0.03, height: 0.01 };
const PATH: Area = { left: 0.3, top: 0.9, width: 0.06, height: 0.06 };

const change = (before: readonly number[], after: readonly number[]) =>
  Math.max(...before.map((level, channel) => Math.abs((after[channel] ?? 0) - level)));

/** Mean difference of the luma between pixels two apart, which is how fine the detail is. */
function finest({ pixels, width, height }: RawImage, area: Area): number {
  let [sum, count] = [0, 0];
  for (let y = Math.round(area.top * height); y < (area.top + area.height) * height; y++)
    for (let x = Math.round(area.left * width); x < (area.left + area.width) * width - 2; x++) {
      const at = (y * width + x) * 3;
      sum += Math.abs((pixels[at] ?? 0) - (pixels[at + 6] ?? 0));
      count++;
    }
  return sum / count;
}

describe('a new sky', () => {
  test('replaces the sky alone', async () => {
    const house = await photo('house');
    const clear = await editLocally('sky-replacement', house, { skyType: 'clear-blue' });
    const [red, , blue] = (await measure(clear, SKY)).mean;
    expect(blue).toBeGreaterThan(red * 1.6);
    for (const area of [BRICKS, LAWN])
      expect(change((await measure(house, area)).mean, (await measure(clear, area)).mean)).toBeLessThan(2);
  });

  test('fills the haze at the horizon, and what a tree separates from the rest', async () => {
    const sunset = await editLocally('sky-replacement', await photo('house', 1380), { skyType: 'sunset' });
    for (const area of [HAZE, POCKET]) {
      const [red, , blue] = (await measure(sunset, area)).mean;
      expect(red).toBeGreaterThan(blue * 1.6);
    }
  });

  test('differs for each type', async () => {
    const house = await photo('house');
    const types = [
      'clear-blue',
      'blue-with-clouds',
      'soft-overcast',
      'golden-hour',
      'sunset',
      'twilight',
      'dramatic-clouds',
    ];
    const wide: Area = { left: 0.02, top: 0.02, width: 0.96, height: 0.1 };
    const skies = await Promise.all(
      types.map(async (skyType) => {
        const { mean, deviation } = await measure(
          await editLocally('sky-replacement', house, { skyType }),
          wide,
        );
        return [...mean, deviation];
      }),
    );
    for (const [index, sky] of skies.entries())
      for (const other of skies.slice(index + 1)) expect(change(sky, other)).toBeGreaterThan(8);
  });

  test('has clouds with detail as fine as the pixels of a large image', async () => {
    const large = await editLocally('sky-replacement', await photo('house', 4096), {
      skyType: 'dramatic-clouds',
    });
    expect(finest(large, { left: 0.05, top: 0.01, width: 0.9, height: 0.08 })).toBeGreaterThan(0.4);
  });

  test('tones the scene to match, unless told not to', async () => {
    const house = await photo('house');
    const bricks = async (matchLight: string) => {
      const evening = await editLocally('sky-replacement', house, { skyType: 'twilight', matchLight });
      return (await measure(evening, BRICKS)).mean;
    };
    const before = (await measure(house, BRICKS)).mean;
    expect(change(before, await bricks('true'))).toBeGreaterThan(15);
    expect(change(before, await bricks('false'))).toBeLessThan(2);
  });

  test.each(['room', 'livingRoom', 'portrait', 'plan'] as const)('declines the %s', async (name) => {
    expect(await declines('sky-replacement', await photo(name))).toBe(true);
  });
});

describe('a fresh lawn', () => {
  test('is greener, and nothing else changes', async () => {
    const house = await photo('house');
    const fresh = await editLocally('lawn-enhancement', house);
    const [before, after] = [(await measure(house, LAWN)).mean, (await measure(fresh, LAWN)).mean];
    expect(after[1] / after[0]).toBeGreaterThan((before[1] / before[0]) * 1.08);
    for (const area of [BRICKS, SKY, PATH])
      expect(change((await measure(house, area)).mean, (await measure(fresh, area)).mean)).toBeLessThan(2);
  });

  test('declines grey cobbles with a touch of moss', async () => {
    const cobbles = draw({ width: 640, height: 480 }, (x, y) => {
      const level = 90 + (((x * 31 + y * 17) % 23) + 10 * Math.sin(x / 9) * Math.sin(y / 5));
      return [level, level + 2, level - 12];
    });
    expect(await declines('lawn-enhancement', cobbles)).toBe(true);
  });

  test.each(['room', 'livingRoom', 'portrait', 'plan'] as const)('declines the %s', async (name) => {
    expect(await declines('lawn-enhancement', await photo(name))).toBe(true);
  });
});
