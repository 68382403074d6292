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
import { noise } from '../imaging/images.ts';

const width = 300;
const height = 200;
let room: Buffer;

beforeAll(async () => {
  configureLibvips();
  const photo = await readFile(new URL('../../docs/sample-room.jpg', import.meta.url));
  room = await sharp(photo).resize({ width, height }).png().toBuffer();
});

const request = (overrides: Partial<LocalRequest> = {}): LocalRequest => ({
  tool: 'virtual-staging',
  settings: {},
  image: room,
  target: { longestSide: 600, neverSmaller: false },
  format: 'png',
  watermark: false,
  ...overrides,
});

async function pixelsOf(overrides: Partial<LocalRequest>): Promise<RawImage> {
  const { bytes } = await renderPreview(request(overrides));
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

  it('adds a caption when the tool needs a model, and none when it edited the image', async () => {
    const bottomRows = async (tool: string, settings = {}) => {
      const { pixels } = await pixelsOf({ tool, settings });
      return pixels.subarray(-600 * 16 * 3);
    };
    const original = (await enlarged()).pixels.subarray(-600 * 16 * 3);
    const darkerShare = (rows: Buffer) =>
      rows.filter((level, index) => level < (original[index] ?? 0) - 20).length / rows.length;
    expect(darkerShare(await bottomRows('virtual-staging'))).toBeGreaterThan(0.9);
    expect(darkerShare(await bottomRows('image-upscaling'))).toBeLessThan(0.05);
    expect(await bottomRows('virtual-staging', { style: 'modern' })).not.toEqual(
      await bottomRows('virtual-staging', { style: 'coastal' }),
    );
  });

  it('does not edit an input that is already as large as an upscale would make it', async () => {
    const target = { longestSide: 256, neverSmaller: true };
    expect(await pixelsOf({ tool: 'image-upscaling', target })).toEqual(await toRaw(sharp(room)));
  });

  it('refuses bytes that are not an image, and a truncated image', async () => {
    await expect(renderPreview(request({ image: Buffer.from('hello') }))).rejects.toThrow(ImageError);
    await expect(renderPreview(request({ image: room.subarray(0, 4000) }))).rejects.toThrow(ImageError);
  });
});

describe('the edits of the preview', () => {
  it('dusk is darker than day, night darker than dusk, and winter brighter than day', async () => {
    const luma = async (tool: string, settings = {}) => (await meanOf(await pixelsOf({ tool, settings })))[1];
    const day = (await meanOf(await enlarged()))[1];
    const dusk = await luma('day-to-dusk-exterior');
    expect(dusk).toBeLessThan(day * 0.8);
    expect(await luma('day-to-dusk-exterior', { timeShift: 'night' })).toBeLessThan(dusk);
    expect(await luma('seasonal-changes', { season: 'winter' })).toBeGreaterThan(day);
  });

  it('lighting is brightened, darkened, warmed and cooled by the settings', async () => {
    const lit = (settings: Record<string, string>) =>
      pixelsOf({ tool: 'lighting-adjustment', settings }).then(meanOf);
    const [, day] = await meanOf(await enlarged());
    expect((await lit({ lightingMode: 'brighten' }))[1]).toBeGreaterThan(day);
    expect((await lit({ lightingMode: 'darken' }))[1]).toBeLessThan(day);
    const warm = await lit({ lightColor: 'warm' });
    const cool = await lit({ lightColor: 'cool' });
    expect(warm[0] - warm[2]).toBeGreaterThan(cool[0] - cool[2]);
  });

  it('a colour cast is removed', async () => {
    const cast = await sharp(room).linear([1, 0.85, 0.7], [0, 0, 0]).png().toBuffer();
    const [red, , blue] = await meanOf(await toRaw(sharp(cast)));
    const corrected = await meanOf(await pixelsOf({ tool: 'color-correction', image: cast }));
    expect(corrected[0] - corrected[2]).toBeLessThan((red - blue) / 2);
  });

  it('noise is reduced, more with a stronger intensity', async () => {
    const image = await noise(width, height).png().toBuffer();
    const roughness = async (intensity: string) =>
      detailOf(await pixelsOf({ tool: 'noise-reduction', image, settings: { intensity } }));
    const before = await detailOf(await toRaw(sharp(image).resize({ width: 600, height: 400 })));
    expect(await roughness('subtle')).toBeLessThan(before);
    expect(await roughness('strong')).toBeLessThan(await roughness('subtle'));
  });

  it.each([-4, -1.5, 2.5])('a photo tilted by %d degrees is straightened', async (tilt) => {
    const crop = { left: 60, top: 60, width: 480, height: 300 };
    const tilted = await sharp(room).resize({ width: 600 }).rotate(tilt).extract(crop).png().toBuffer();
    const raw = await toRaw(sharp(tilted));
    expect(await findTilt(raw, 'both')).toBeCloseTo(tilt, 0);
    const upright = await pixelsOf({ tool: 'perspective-correction', image: tilted });
    expect(Math.abs(await findTilt(upright, 'both'))).toBeLessThan(0.6);
  });
});

describe('the instant generator', () => {
  it('returns its input at the size of the result', async () => {
    const { bytes, ...size } = await renderInstantly(request());
    expect(size).toEqual({ width: 600, height: 400 });
    expect(await toRaw(sharp(bytes))).toEqual(await enlarged());
  });
});
