import { beforeAll, describe, expect, test } from 'vitest';
import { configureLibvips, type RawImage } from '../../../../lib/imaging/libvips.ts';
import { type Area, declines, editLocally, measure, photo } from './images.ts';

beforeAll(configureLibvips);

const SKY: Area = { left: 0.05, top: 0.02, width: 0.3, height: 0.1 };
const BRICKS: Area = { left: 0.56, top: 0.5, width: 0.06, height: 0.06 };
const LAWN: Area = { left: 0.05, top: 0.88, width: 0.3, height: 0.1 };
const PATH: Area = { left: 0.32, top: 0.9, width: 0.05, height: 0.06 };
const TREE: Area = { left: 0.8, top: 0.4, width: 0.1, height: 0.1 };
const HEDGE: Area = { left: 0.25, top: 0.7, width: 0.08, height: 0.05 };
const HEDGE_FOOT: Area = { left: 0.24, top: 0.785, width: 0.1, height: 0.015 };

const inSeason = async (season: string, image: RawImage, settings = {}) =>
  editLocally('seasonal-changes', image, { season, ...settings });
const meanOf = async (image: RawImage, area: Area) => (await measure(image, area)).mean;

describe('seasons', () => {
  test.each(['fall', 'winter', 'spring', 'summer'])(
    'in %s house and path keep their colour',
    async (season) => {
      const house = await photo('house');
      const changed = await inSeason(season, house);
      for (const area of [BRICKS, PATH]) {
        const [before, after] = [await meanOf(house, area), await meanOf(changed, area)];
        before.forEach((level, channel) => {
          expect(Math.abs((after[channel] ?? 0) - level)).toBeLessThan(2);
        });
      }
    },
  );

  test('all look different', async () => {
    const house = await photo('house');
    const seasons = ['spring', 'summer', 'fall', 'winter'];
    const trees = await Promise.all(
      seasons.map(async (season) => meanOf(await inSeason(season, house), TREE)),
    );
    for (const [index, tree] of trees.entries())
      for (const other of trees.slice(index + 1))
        expect(
          Math.max(...tree.map((level, channel) => Math.abs(level - (other[channel] ?? 0)))),
        ).toBeGreaterThan(12);
  });

  test('trees and hedges turn in fall, and the grass at their feet stays grass', async () => {
    const fall = await inSeason('fall', await photo('house'));
    for (const area of [TREE, HEDGE]) {
      const [red, green, blue] = await meanOf(fall, area);
      expect(red).toBeGreaterThan(green * 1.25);
      expect(green).toBeGreaterThan(blue * 1.2);
    }
    const [red, green] = await meanOf(fall, HEDGE_FOOT);
    expect(red).toBeLessThan(green * 1.2);
  });

  test('lawns are under snow in winter, uneven and with their texture', async () => {
    const house = await photo('house', 1380);
    const winter = await inSeason('winter', house);
    const snow = await measure(winter, LAWN);
    expect(Math.min(...snow.mean)).toBeGreaterThan(175);
    expect(Math.max(...snow.mean) - Math.min(...snow.mean)).toBeLessThan(25);
    const blades: Area = { left: 0.1, top: 0.9, width: 0.02, height: 0.02 };
    expect((await measure(winter, blades)).deviation).toBeGreaterThan(
      (await measure(house, blades)).deviation * 0.5,
    );
    const patches = await Promise.all(
      [0.02, 0.07, 0.12, 0.17, 0.22].map(
        async (left) => (await meanOf(winter, { left, top: 0.85, width: 0.04, height: 0.1 }))[1],
      ),
    );
    expect(Math.max(...patches) - Math.min(...patches)).toBeGreaterThan(8);
  });

  test('the sky is paler in winter', async () => {
    const house = await photo('house');
    const blueness = async (image: RawImage) => {
      const [red, , blue] = await meanOf(image, SKY);
      return blue - red;
    };
    expect(await blueness(await inSeason('winter', house))).toBeLessThan((await blueness(house)) * 0.6);
  });

  test.each(['fall', 'winter'])('%s follows the intensity', async (season) => {
    const house = await photo('house');
    const before = await meanOf(house, LAWN);
    const changes = await Promise.all(
      ['subtle', 'balanced', 'strong'].map(async (intensity) => {
        const after = await meanOf(await inSeason(season, house, { intensity }), LAWN);
        return Math.hypot(...after.map((level, channel) => level - (before[channel] ?? 0)));
      }),
    );
    expect(changes[1]).toBeGreaterThan((changes[0] ?? 0) * 1.1);
    expect(changes[2]).toBeGreaterThan((changes[1] ?? 0) * 1.03);
  });

  test('declines a photo without plants', async () => {
    expect(await declines('seasonal-changes', await photo('portrait'))).toBe(true);
  });
});
