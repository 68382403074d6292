import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { renderPreview } from '../../../../lib/generators/preview/preview.ts';
import { configureLibvips, openRaw, type RawImage, toRaw } from '../../../../lib/imaging/libvips.ts';
import { editLocally, measure, photo, psnr } from './images.ts';

beforeAll(configureLibvips);

async function noisy(image: RawImage, sigma: number): Promise<RawImage> {
  const { width, height } = image;
  const create = {
    width,
    height,
    channels: 3 as const,
    background: 'grey',
    noise: { type: 'gaussian' as const, mean: 128, sigma },
  };
  const noise = await toRaw(sharp({ create }));
  const pixels = Buffer.from(
    image.pixels.map((level, at) => Math.min(255, Math.max(0, level + (noise.pixels[at] ?? 128) - 128))),
  );
  return { ...image, pixels };
}

describe('noise reduction', () => {
  test.each(['room', 'house', 'portrait'] as const)(
    'raises the PSNR of the %s by several dB',
    async (name) => {
      const clean = await photo(name, 512);
      const grainy = await noisy(clean, 20);
      const gain = psnr(await editLocally('noise-reduction', grainy), clean) - psnr(grainy, clean);
      expect(gain).toBeGreaterThan(name === 'house' ? 2 : 5);
    },
  );

  test('still does after enlarging to 2K', async () => {
    const clean = await photo('room', 640);
    const image = await openRaw(await noisy(clean, 20))
      .png()
      .toBuffer();
    const { bytes } = await renderPreview({
      image,
      tool: 'noise-reduction',
      settings: {},
      target: { longestSide: 2048, neverSmaller: false },
      format: 'png',
      watermark: null,
    });
    const small = await toRaw(sharp(bytes).resize({ width: 640, height: clean.height, fit: 'fill' }));
    expect(psnr(small, clean)).toBeGreaterThan(30);
  });

  test('is stronger with a stronger intensity', async () => {
    const flat = await noisy({ width: 300, height: 200, pixels: Buffer.alloc(300 * 200 * 3, 120) }, 15);
    const left = async (intensity: string) =>
      (await measure(await editLocally('noise-reduction', flat, { intensity }))).deviation;
    expect(await left('strong')).toBeLessThan(await left('balanced'));
    expect(await left('balanced')).toBeLessThan(await left('subtle'));
    expect(await left('subtle')).toBeLessThan((await measure(flat)).deviation * 0.7);
  });

  test('leaves a clean drawing as it is', async () => {
    const plan = await photo('plan');
    expect(psnr(await editLocally('noise-reduction', plan), plan)).toBeGreaterThan(38);
  });
});
