import { beforeAll, describe, expect, it } from 'vitest';
import { configureLibvips } from '../../../imaging/libvips.ts';
import { type Area, edit, measure, photo, tryEdit } from './images.ts';

beforeAll(configureLibvips);

const SKY: Area = { left: 0.05, top: 0.02, width: 0.3, height: 0.1 };
const BRICKS: Area = { left: 0.56, top: 0.5, width: 0.06, height: 0.06 };
const LAWN: Area = { left: 0.05, top: 0.88, width: 0.3, height: 0.1 };
const PATH: Area = { left: 0.3, top: 0.9, width: 0.06, height: 0.06 };

const change = (before: readonly number[], after: readonly number[]) =>
  Math.max(...before.map((level, channel) => Math.abs((after[channel] ?? 0) - level)));

describe('a new sky', () => {
  it('replaces the sky alone', async () => {
    const house = await photo('house');
    const clear = await edit('sky-replacement', house, { skyType: 'clear-blue' });
    const [red, , blue] = (await measure(clear, SKY)).mean;
    expect(blue).toBeGreaterThan(red * 1.6);
    for (const area of [BRICKS, LAWN])
      expect(change((await measure(house, area)).mean, (await measure(clear, area)).mean)).toBeLessThan(2);
  });

  it('tones the scene to match, unless told not to', async () => {
    const house = await photo('house');
    const bricks = async (matchLight: string) => {
      const evening = await edit('sky-replacement', house, { skyType: 'twilight', matchLight });
      return (await measure(evening, BRICKS)).mean;
    };
    const before = (await measure(house, BRICKS)).mean;
    expect(change(before, await bricks('true'))).toBeGreaterThan(15);
    expect(change(before, await bricks('false'))).toBeLessThan(2);
  });

  it.each(['room', 'livingRoom', 'portrait', 'plan'] as const)('declines the %s', async (name) => {
    expect(await tryEdit('sky-replacement', await photo(name))).toBeUndefined();
  });
});

describe('a fresh lawn', () => {
  it('is greener, and nothing else changes', async () => {
    const house = await photo('house');
    const fresh = await edit('lawn-enhancement', house);
    const [before, after] = [(await measure(house, LAWN)).mean, (await measure(fresh, LAWN)).mean];
    expect(after[1] / after[0]).toBeGreaterThan((before[1] / before[0]) * 1.08);
    for (const area of [BRICKS, SKY, PATH])
      expect(change((await measure(house, area)).mean, (await measure(fresh, area)).mean)).toBeLessThan(2);
  });

  it.each(['room', 'livingRoom', 'portrait', 'plan'] as const)('declines the %s', async (name) => {
    expect(await tryEdit('lawn-enhancement', await photo(name))).toBeUndefined();
  });
});
