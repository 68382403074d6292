import { beforeAll, describe, expect, it } from 'vitest';
import { configureLibvips } from '../../../imaging/libvips.ts';
import { type Area, draw, edit, measure, photo, tryEdit } from './images.ts';

beforeAll(configureLibvips);

const SKY: Area = { left: 0.05, top: 0.02, width: 0.3, height: 0.1 };
const BRICKS: Area = { left: 0.56, top: 0.5, width: 0.06, height: 0.06 };
const LAWN: Area = { left: 0.05, top: 0.88, width: 0.3, height: 0.1 };
const TREE: Area = { left: 0.8, top: 0.4, width: 0.1, height: 0.1 };
const CEILING: Area = { left: 0.35, top: 0.04, width: 0.35, height: 0.12 };
const WINDOW: Area = { left: 0.07, top: 0.3, width: 0.06, height: 0.12 };

const warmth = ([red, , blue]: readonly [number, number, number]) => red / Math.max(1, blue);

describe('dusk outside', () => {
  it('turns the sky to the colours of the hour and dims the house', async () => {
    const house = await photo('house');
    const dusk = await edit('day-to-dusk-exterior', house);
    const [, , blue] = (await measure(dusk, SKY)).mean;
    expect(blue).toBeLessThan(150);
    expect((await measure(dusk, BRICKS)).mean[1]).toBeLessThan((await measure(house, BRICKS)).mean[1] * 0.75);
    const night = await edit('day-to-dusk-exterior', house, { timeShift: 'night' });
    expect((await measure(night)).mean[1]).toBeLessThan((await measure(dusk)).mean[1] * 0.7);
    const golden = await edit('day-to-dusk-exterior', house, { timeShift: 'golden-hour' });
    expect(warmth((await measure(golden, BRICKS)).mean)).toBeGreaterThan(
      warmth((await measure(house, BRICKS)).mean) * 1.1,
    );
  });

  it.each(['plan', 'portrait'] as const)('declines the %s, which has no sky', async (name) => {
    const image = await photo(name);
    expect(await tryEdit('day-to-dusk-exterior', image)).toBeUndefined();
  });
});

describe('dusk inside', () => {
  it('keeps the ceiling smooth', async () => {
    for (const name of ['room', 'livingRoom'] as const) {
      const room = await photo(name);
      const dusk = await edit('day-to-dusk', room, { hasWindows: 'false' });
      for (let left = CEILING.left; left < CEILING.left + CEILING.width; left += 0.04) {
        const patch = { ...CEILING, left, width: 0.04, height: 0.04 };
        const [before, after] = [await measure(room, patch), await measure(dusk, patch)];
        expect(after.deviation).toBeLessThan(before.deviation + 2.5);
      }
      const [before, after] = [await measure(room, CEILING), await measure(dusk, CEILING)];
      expect(after.mean[1]).toBeLessThan(before.mean[1] * 0.9);
    }
  });

  it('turns the view blue and the room warm', async () => {
    const room = await photo('livingRoom');
    const dusk = await edit('day-to-dusk', room);
    const [red, , blue] = (await measure(dusk, WINDOW)).mean;
    expect(blue).toBeGreaterThan(red * 1.15);
    const walls: Area = { left: 0.3, top: 0.25, width: 0.1, height: 0.1 };
    expect(warmth((await measure(dusk, walls)).mean)).toBeGreaterThan(
      warmth((await measure(room, walls)).mean) * 1.15,
    );
    expect(warmth((await measure(dusk, CEILING)).mean)).toBeGreaterThan(1);
  });

  it('declines noise, whose bright specks are no windows', async () => {
    const specks = draw({ width: 320, height: 240 }, (x, y) =>
      (x * 7 + y * 13) % 3 === 0 ? [250, 252, 255] : [40, 38, 35],
    );
    expect(await tryEdit('day-to-dusk', specks)).toBeUndefined();
  });

  it('declines a room in which it finds no window', async () => {
    const wall = draw({ width: 320, height: 240 }, (_, y) => [200 - y / 4, 195 - y / 4, 180 - y / 4]);
    expect(await tryEdit('day-to-dusk', wall)).toBeUndefined();
  });
});

describe('seasons', () => {
  it.each(['fall', 'winter', 'spring', 'summer'])('in %s the building keeps its colour', async (season) => {
    const house = await photo('house');
    const changed = await edit('seasonal-changes', house, { season });
    for (const area of [BRICKS, SKY]) {
      const [before, after] = [(await measure(house, area)).mean, (await measure(changed, area)).mean];
      before.forEach((level, channel) => {
        expect(Math.abs((after[channel] ?? 0) - level)).toBeLessThan(2);
      });
    }
  });

  it('leaves turn in fall, and lawns white in winter', async () => {
    const house = await photo('house');
    const fall = (await measure(await edit('seasonal-changes', house, { season: 'fall' }), TREE)).mean;
    expect(fall[0]).toBeGreaterThan(fall[1] * 1.1);
    const winter = (await measure(await edit('seasonal-changes', house, { season: 'winter' }), LAWN)).mean;
    expect(Math.min(...winter)).toBeGreaterThan(190);
    expect(Math.max(...winter) - Math.min(...winter)).toBeLessThan(25);
  });

  it('declines a photo without plants', async () => {
    expect(await tryEdit('seasonal-changes', await photo('portrait'))).toBeUndefined();
  });
});
