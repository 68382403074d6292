import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { renderInstantly } from '../../generators/instant.ts';
import type { LocalRequest } from '../../generators/port.ts';
import { OPERATIONS } from '../../generators/preview/operations.ts';
import { renderPreview } from '../../generators/preview/preview.ts';
import { findTilt } from '../../generators/preview/straighten.ts';
import { ImageError } from '../../imaging/errors.ts';
import { configureLibvips, type RawImage, toRaw } from '../../imaging/libvips.ts';
import { noise } from '../imaging/pictures.ts';

const width = 300;
const height = 200;
let room: Buffer;

beforeAll(async () => {
  configureLibvips();
  const photo = await readFile(new URL('../../docs/sample-room.jpg', import.meta.url));
  room = await sharp(photo).resize({ width, height }).png().toBuffer();
});

const request = (given: Partial<LocalRequest> = {}): LocalRequest => ({
  tool: 'virtual-staging',
  settings: {},
  image: room,
  target: { longestSide: 600, neverSmaller: false },
  format: 'png',
  watermark: false,
  ...given,
});

async function pixelsOf(given: Partial<LocalRequest>): Promise<RawImage> {
  const { bytes } = await renderPreview(request(given));
  return toRaw(sharp(bytes));
}

async function meanOf({ pixels, width, height }: RawImage): Promise<[number, number, number]> {
  const { channels } = await sharp(pixels, { raw: { width, height, channels: 3 } }).stats();
  const [red, green, blue] = channels.map(({ mean }) => mean);
  return [red ?? 0, green ?? 0, blue ?? 0];
}

const enlarged = async () => toRaw(sharp(room).resize({ width: 600, height: 400 }));
const detailOf = async ({ pixels, width, height }: RawImage) =>
  (await sharp(pixels, { raw: { width, height, channels: 3 } }).stats()).sharpness;

describe('the preview generator', () => {
  it.each([...OPERATIONS.keys(), 'pool-addition', 'a tool of tomorrow'])(
    'renders %s at the target size',
    async (tool) => {
      const rendered = await pixelsOf({ tool });
      expect(rendered).toMatchObject({ width: 600, height: 400 });
      expect(rendered.pixels).toHaveLength(600 * 400 * 3);
    },
  );

  it('puts a caption under what only a model could do, and none under what it really did', async () => {
    const foot = async (tool: string, settings = {}) => {
      const { pixels } = await pixelsOf({ tool, settings });
      return pixels.subarray(-600 * 16 * 3);
    };
    const whole = (await enlarged()).pixels.subarray(-600 * 16 * 3);
    const darker = (one: Buffer) =>
      one.filter((level, index) => level < (whole[index] ?? 0) - 20).length / one.length;
    expect(darker(await foot('virtual-staging'))).toBeGreaterThan(0.9);
    expect(darker(await foot('image-upscaling'))).toBeLessThan(0.05);
    expect(await foot('virtual-staging', { style: 'modern' })).not.toEqual(
      await foot('virtual-staging', { style: 'coastal' }),
    );
  });

  it('leaves an input alone that is as large as an upscale would make it', async () => {
    const target = { longestSide: 256, neverSmaller: true };
    expect(await pixelsOf({ tool: 'image-upscaling', target })).toEqual(await toRaw(sharp(room)));
  });

  it('refuses bytes that are no picture, or not all of one', async () => {
    await expect(renderPreview(request({ image: Buffer.from('hello') }))).rejects.toThrow(ImageError);
    await expect(renderPreview(request({ image: room.subarray(0, 4000) }))).rejects.toThrow(ImageError);
  });
});

describe('what the tools do to a photo', () => {
  it('dusk is darker, night darker still, and winter is paler', async () => {
    const luma = async (tool: string, settings = {}) => (await meanOf(await pixelsOf({ tool, settings })))[1];
    const day = (await meanOf(await enlarged()))[1];
    const dusk = await luma('day-to-dusk-exterior');
    expect(dusk).toBeLessThan(day * 0.8);
    expect(await luma('day-to-dusk-exterior', { timeShift: 'night' })).toBeLessThan(dusk);
    expect(await luma('seasonal-changes', { season: 'winter' })).toBeGreaterThan(day);
  });

  it('light goes up and down, and warm and cool, as asked', async () => {
    const lit = (settings: Record<string, string>) =>
      pixelsOf({ tool: 'lighting-adjustment', settings }).then(meanOf);
    const [, day] = await meanOf(await enlarged());
    expect((await lit({ lightingMode: 'brighten' }))[1]).toBeGreaterThan(day);
    expect((await lit({ lightingMode: 'darken' }))[1]).toBeLessThan(day);
    const warm = await lit({ lightColor: 'warm' });
    const cool = await lit({ lightColor: 'cool' });
    expect(warm[0] - warm[2]).toBeGreaterThan(cool[0] - cool[2]);
  });

  it('a colour cast goes', async () => {
    const cast = await sharp(room).linear([1, 0.85, 0.7], [0, 0, 0]).png().toBuffer();
    const [red, , blue] = await meanOf(await toRaw(sharp(cast)));
    const corrected = await meanOf(await pixelsOf({ tool: 'color-correction', image: cast }));
    expect(corrected[0] - corrected[2]).toBeLessThan((red - blue) / 2);
  });

  it('noise goes, the more the stronger it is asked for', async () => {
    const image = await noise(width, height).png().toBuffer();
    const roughness = async (intensity: string) =>
      detailOf(await pixelsOf({ tool: 'noise-reduction', image, settings: { intensity } }));
    const before = await detailOf(await toRaw(sharp(image).resize({ width: 600, height: 400 })));
    expect(await roughness('subtle')).toBeLessThan(before);
    expect(await roughness('strong')).toBeLessThan(await roughness('subtle'));
  });

  it.each([-4, -1.5, 2.5])('a photo that leans by %d degrees is put upright', async (lean) => {
    const crop = { left: 60, top: 60, width: 480, height: 300 };
    const leaning = await sharp(room).resize({ width: 600 }).rotate(lean).extract(crop).png().toBuffer();
    const raw = await toRaw(sharp(leaning));
    expect(await findTilt(raw, 'both')).toBeCloseTo(lean, 0);
    const upright = await pixelsOf({ tool: 'perspective-correction', image: leaning });
    expect(Math.abs(await findTilt(upright, 'both'))).toBeLessThan(0.6);
  });
});

describe('the instant generator', () => {
  it('returns what it is given, at the size of the result', async () => {
    const { bytes, ...size } = await renderInstantly(request());
    expect(size).toEqual({ width: 600, height: 400 });
    expect(await toRaw(sharp(bytes))).toEqual(await enlarged());
  });
});
