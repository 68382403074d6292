import { beforeAll, describe, expect, test } from 'vitest';
import { configureLibvips } from '../../../../lib/imaging/libvips.ts';
import { type Area, declines, draw, editLocally, measure, photo } from './images.ts';

beforeAll(configureLibvips);

const SKY: Area = { left: 0.05, top: 0.02, width: 0.3, height: 0.1 };
const BRICKS: Area = { left: 0.56, top: 0.5, width: 0.06, height: 0.06 };
const LAWN: Area = { left: 0.05, top: 0.88, width: 0.3, height: 0.1 };
const HAZE: Area = { left: 0.01, top: 0.63, width: 0.04, height: 0.02 };
const PANE: Area = { left: 0.298, top: 0.43, width: 0.015, height: 0.03 };
const CEILING: Area = { left: 0.35, top: 0.04, width: 0.35, height: 0.12 };
const WINDOW: Area = { left: 0.07, top: 0.3, width: 0.06, height: 0.12 };

const warmth = ([red, , blue]: readonly [number, number, number]) => red / Math.max(1, blue);
const meanOf = async (image: Parameters<typeof measure>[0], area: Area) => (await measure(image, area)).mean;

describe('dusk outside', () => {
  test('turns the sky to the colours of the hour and dims the house', async () => {
    const house = await photo('house');
    const dusk = await editLocally('day-to-dusk-exterior', house);
    const [, , blue] = await meanOf(dusk, SKY);
    expect(blue).toBeLessThan(150);
    expect((await meanOf(dusk, BRICKS))[1]).toBeLessThan((await meanOf(house, BRICKS))[1] * 0.75);
    const night = await editLocally('day-to-dusk-exterior', house, { timeShift: 'night' });
    expect((await measure(night)).mean[1]).toBeLessThan((await measure(dusk)).mean[1] * 0.7);
    const golden = await editLocally('day-to-dusk-exterior', house, { timeShift: 'golden-hour' });
    expect(warmth(await meanOf(golden, BRICKS))).toBeGreaterThan(warmth(await meanOf(house, BRICKS)) * 1.1);
  });

  test('reaches the haze at the horizon', async () => {
    const night = await editLocally('day-to-dusk-exterior', await photo('house'), { timeShift: 'night' });
    const [red, , blue] = await meanOf(night, HAZE);
    expect(blue).toBeGreaterThan(red * 1.5);
  });

  test('lights the windows, unless told not to', async () => {
    const house = await photo('house', 1380);
    const dark = await meanOf(
      await editLocally('day-to-dusk-exterior', house, { windowGlow: 'false' }),
      PANE,
    );
    const lit = await meanOf(await editLocally('day-to-dusk-exterior', house), PANE);
    expect(dark[0]).toBeLessThan(80);
    expect(lit[0]).toBeGreaterThan(170);
    expect(warmth(lit)).toBeGreaterThan(1.5);
  });

  test('shows the season', async () => {
    const house = await photo('house');
    const snow = await meanOf(await editLocally('day-to-dusk-exterior', house, { season: 'winter' }), LAWN);
    const grass = await meanOf(await editLocally('day-to-dusk-exterior', house), LAWN);
    expect(snow[1]).toBeGreaterThan(grass[1] * 1.3);
    expect(snow[2]).toBeGreaterThan(snow[1]);
  });

  test.each(['plan', 'portrait', 'room', 'livingRoom'] as const)(
    'declines the %s, which has no sky',
    async (name) => {
      const image = await photo(name);
      expect(await declines('day-to-dusk-exterior', image)).toBe(true);
    },
  );
});

describe('dusk inside', () => {
  test('keeps the ceiling smooth', async () => {
    for (const name of ['room', 'livingRoom'] as const) {
      const room = await photo(name);
      const dusk = await editLocally('day-to-dusk', room, { hasWindows: 'false' });
      for (let left = CEILING.left; left < CEILING.left + CEILING.width; left += 0.04) {
        const patch = { ...CEILING, left, width: 0.04, height: 0.04 };
        const [before, after] = [await measure(room, patch), await measure(dusk, patch)];
        expect(after.deviation).toBeLessThan(before.deviation + 2.5);
      }
      const [before, after] = [await measure(room, CEILING), await measure(dusk, CEILING)];
      expect(after.mean[1]).toBeLessThan(before.mean[1] * 0.9);
    }
  });

  test('turns the view blue and the room warm', async () => {
    const room = await photo('livingRoom');
    const dusk = await editLocally('day-to-dusk', room);
    const [red, , blue] = await meanOf(dusk, WINDOW);
    expect(blue).toBeGreaterThan(red * 1.15);
    const walls: Area = { left: 0.3, top: 0.25, width: 0.1, height: 0.1 };
    expect(warmth(await meanOf(dusk, walls))).toBeGreaterThan(warmth(await meanOf(room, walls)) * 1.15);
    expect(warmth(await meanOf(dusk, CEILING))).toBeGreaterThan(1);
  });

  test.each([640, 1600])(
    'turns all panes of a window blue and leaves its frame, at %d pixels',
    async (width) => {
      const dusk = await editLocally('day-to-dusk', await photo('room', width));
      for (const [left, top] of [
        [0.085, 0.22],
        [0.15, 0.25],
        [0.085, 0.34],
        [0.16, 0.34],
        [0.085, 0.44],
        [0.16, 0.44],
        [0.085, 0.56],
      ] as const) {
        const [red, , blue] = await meanOf(dusk, { left, top, width: 0.02, height: 0.02 });
        expect(blue, `at ${left}, ${top}`).toBeGreaterThan(red * 1.1);
      }
      const mullion = await meanOf(dusk, { left: 0.13, top: 0.52, width: 0.004, height: 0.03 });
      expect(warmth(mullion)).toBeGreaterThan(1);
    },
  );

  test.each(['true', 'false'])('weakens the sun on the rug, lamps on: %s', async (interiorLights) => {
    const room = await photo('livingRoom');
    const dusk = await editLocally('day-to-dusk', room, { interiorLights });
    const sunny: Area = { left: 0.35, top: 0.71, width: 0.02, height: 0.02 };
    const shady: Area = { left: 0.5, top: 0.85, width: 0.03, height: 0.03 };
    const contrast = async (image: typeof room) =>
      (await meanOf(image, sunny))[1] / (await meanOf(image, shady))[1];
    expect(await contrast(dusk)).toBeLessThan((await contrast(room)) * 0.9);
  });

  test('treats a house under a blue sky as an exterior', async () => {
    const house = await photo('house');
    const outside = await editLocally('day-to-dusk-exterior', house);
    expect((await editLocally('day-to-dusk', house)).pixels.equals(outside.pixels)).toBe(true);
  });

  test('treats a street under an overcast sky as an exterior', async () => {
    const street = draw({ width: 480, height: 320 }, (x, y) => {
      const isSky = y < 130 + 50 * Math.abs(Math.sin(x / 40));
      const level = isSky ? 214 - y / 8 : 70 + ((x * 5 + y * 3) % 17);
      return isSky ? [level, level + 1, level + 3] : [level + 20, level, level - 12];
    });
    const outside = await editLocally('day-to-dusk-exterior', street);
    expect((await editLocally('day-to-dusk', street)).pixels.equals(outside.pixels)).toBe(true);
  });

  test('keeps a room with a white ceiling a room', async () => {
    const room = draw({ width: 480, height: 320 }, (x, y) => {
      if (x > 300 && x < 400 && y > 110 && y < 200) return [196, 222, 248];
      if (y < 80) return [226, 228, 230];
      return y < 230 ? [176, 174, 170] : [128, 96, 70];
    });
    const dusk = await editLocally('day-to-dusk', room);
    const [red, , blue] = await meanOf(dusk, { left: 0.2, top: 0.05, width: 0.5, height: 0.1 });
    expect(red).toBeGreaterThan(blue);
  });

  test.each(['true', 'false'])(
    'declines a blue sky above a facade, windows in view: %s',
    async (hasWindows) => {
      const tower = draw({ width: 480, height: 320 }, (x, y) =>
        x + y < 480 ? [40, 110, 196] : [210, 190, 110],
      );
      expect(await declines('day-to-dusk', tower, { hasWindows })).toBe(true);
    },
  );

  test('declines a floor plan, also when no windows are in view', async () => {
    expect(await declines('day-to-dusk', await photo('plan'), { hasWindows: 'false' })).toBe(true);
  });

  test('declines noise, whose bright specks are no windows', async () => {
    const specks = draw({ width: 320, height: 240 }, (x, y) =>
      (x * 7 + y * 13) % 3 === 0 ? [250, 252, 255] : [40, 38, 35],
    );
    expect(await declines('day-to-dusk', specks)).toBe(true);
  });

  test('declines a room in which it finds no window', async () => {
    const wall = draw({ width: 320, height: 240 }, (_, y) => [200 - y / 4, 195 - y / 4, 180 - y / 4]);
    expect(await declines('day-to-dusk', wall)).toBe(true);
  });
});
