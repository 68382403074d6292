import { beforeAll, describe, expect, test } from 'vitest';
import { configureLibvips, openRaw, toRaw } from '../../../../lib/imaging/libvips.ts';
import { draw, editLocally, measure, photo } from './images.ts';

beforeAll(configureLibvips);

const spread = (colour: readonly number[]) => Math.max(...colour) - Math.min(...colour);
const size = { width: 480, height: 320 };

describe('enhancement', () => {
  test('keeps white white and black black', async () => {
    const image = draw(size, (x) => {
      const level = x < 120 ? 255 : x < 240 ? 0 : 90;
      return [level, level, level];
    });
    const enhanced = await editLocally('image-enhancement', image);
    expect(
      (await measure(enhanced, { left: 0.02, top: 0.1, width: 0.2, height: 0.8 })).mean[1],
    ).toBeGreaterThan(254);
    expect((await measure(enhanced, { left: 0.27, top: 0.1, width: 0.2, height: 0.8 })).mean[1]).toBeLessThan(
      3,
    );
  });

  test('brightens a dark photo and gives a flat one contrast', async () => {
    const room = await photo('livingRoom');
    const dark = await toRaw(openRaw(room).linear(0.55, 0));
    const flat = await toRaw(openRaw(room).linear(0.6, 60));
    expect((await measure(await editLocally('image-enhancement', dark))).mean[1]).toBeGreaterThan(
      (await measure(dark)).mean[1] * 1.25,
    );
    expect((await measure(await editLocally('image-enhancement', flat))).deviation).toBeGreaterThan(
      (await measure(flat)).deviation * 1.15,
    );
  });
});

describe('HDR', () => {
  /** A roof under a sky, with a soft gradient each. */
  const roofline = draw(size, (_, y) => {
    const level = y < 160 ? 205 + y / 16 : 40 + (y - 160) / 16;
    return [level, level, level];
  });
  const levelAt = (pixels: Buffer, y: number) => pixels[(y * size.width + 240) * 3] ?? 0;

  test('opens the shadows', async () => {
    const { pixels } = await editLocally('hdr-enhancement', roofline);
    expect(levelAt(pixels, 280)).toBeGreaterThan(levelAt(roofline.pixels, 280) + 12);
  });

  test.each(['hdr-enhancement', 'lighting-adjustment'])('keeps black lines black in %s', async (tool) => {
    const plan = draw(size, (x, y) => (x % 60 < 4 || y % 60 < 4 ? [22, 22, 22] : [255, 255, 255]));
    const { pixels } = await editLocally(tool, plan);
    expect(levelAt(pixels, 121)).toBeLessThan(46);
  });

  test('leaves no halo along a roofline', async () => {
    const { pixels } = await editLocally('hdr-enhancement', roofline);
    const far = levelAt(pixels, 40) - levelAt(roofline.pixels, 40);
    for (let y = 60; y < 158; y++)
      expect(Math.abs(levelAt(pixels, y) - levelAt(roofline.pixels, y) - far)).toBeLessThan(7);
  });
});

describe('aerial editing', () => {
  test('clears haze and strengthens colour', async () => {
    const house = await photo('house');
    const hazy = await toRaw(openRaw(house).linear(0.6, 85));
    const before = await measure(hazy);
    const cleared = await measure(
      await editLocally('aerial-photo-editing', hazy, { aerialEdit: 'haze-removal' }),
    );
    expect(cleared.deviation).toBeGreaterThan(before.deviation * 1.3);
    const lawn = { left: 0.05, top: 0.88, width: 0.3, height: 0.1 };
    const boosted = await editLocally('aerial-photo-editing', house, { aerialEdit: 'color-boost' });
    expect(spread((await measure(boosted, lawn)).mean)).toBeGreaterThan(
      spread((await measure(house, lawn)).mean) * 1.15,
    );
  });
});

describe('colour correction', () => {
  test('keeps a neutral room neutral, with a blue and a wooden object in it', async () => {
    const room = draw(size, (x, y) => {
      if (x > 300 && x < 400 && y > 200) return [80, 110, 160];
      if (y > 260) return [150, 105, 70];
      const level = 120 + 110 * (1 - y / 320) + ((x * 7 + y * 13) % 5);
      return [level, level, level];
    });
    const { mean } = await measure(await editLocally('color-correction', room), {
      left: 0,
      top: 0,
      width: 1,
      height: 0.5,
    });
    expect(spread(mean)).toBeLessThan(2);
  });

  test.each([
    ['lamps', [1, 0.85, 0.7]],
    ['shade', [0.86, 0.95, 1.04]],
  ])('removes most of a cast of %s', async (_, gains) => {
    const room = draw(size, (x, y) => {
      const level = 90 + 120 * (1 - y / 320) + ((x * 7 + y * 13) % 7);
      return [level * (gains[0] ?? 1), level * (gains[1] ?? 1), level * (gains[2] ?? 1)];
    });
    const before = spread((await measure(room)).mean);
    expect(spread((await measure(await editLocally('color-correction', room))).mean)).toBeLessThan(
      before * 0.45,
    );
  });

  test.each([
    ['brick under a sky', 200, [222, 168, 148], [111, 159, 216]],
    ['an orange flower on leaves', 270, [245, 205, 165], [10, 70, 75]],
  ] as const)('leaves %s alone, where nothing is grey', async (_, top, object, background) => {
    const image = draw(size, (x, y) => {
      const shade = 0.9 + 0.1 * Math.sin(x / 3) * Math.sin(y / 4);
      return y > top ? [object[0] * shade, object[1] * shade, object[2] * shade] : background;
    });
    const lower = { left: 0, top: 0.86, width: 1, height: 0.14 };
    const [before, after] = [image, await editLocally('color-correction', image)].map((of) =>
      measure(of, lower),
    );
    expect(spread((await after)?.mean ?? [])).toBeGreaterThan(spread((await before)?.mean ?? []) * 0.98);
  });

  test('follows the settings', async () => {
    const house = await photo('house');
    const warmth = async (whiteBalance: string) => {
      const { mean } = await measure(await editLocally('color-correction', house, { whiteBalance }));
      return mean[0] - mean[2];
    };
    expect(await warmth('warm')).toBeGreaterThan((await warmth('auto')) + 4);
    expect(await warmth('cool')).toBeLessThan((await warmth('auto')) - 4);
  });
});

describe('lighting', () => {
  test('is brightened, darkened, warmed and cooled by the settings', async () => {
    const room = await photo('room');
    const lit = async (settings: Record<string, string>) =>
      (await measure(await editLocally('lighting-adjustment', room, settings))).mean;
    const [, day] = (await measure(room)).mean;
    expect((await lit({ lightingMode: 'brighten' }))[1]).toBeGreaterThan(day + 8);
    expect((await lit({ lightingMode: 'darken' }))[1]).toBeLessThan(day - 8);
    const [warm, cool] = [await lit({ lightColor: 'warm' }), await lit({ lightColor: 'cool' })];
    expect(warm[0] - warm[2]).toBeGreaterThan(cool[0] - cool[2] + 10);
  });
});
