import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { ImageError } from '../../../lib/imaging/errors.ts';
import { type FinishOptions, finishResult } from '../../../lib/imaging/finish.ts';
import { inspectImage } from '../../../lib/imaging/inspect.ts';
import { configureLibvips, type RawImage, toRaw } from '../../../lib/imaging/libvips.ts';
import { noise, pngClaiming, quarters } from './images.ts';

beforeAll(configureLibvips);

const inputSize = { width: 96, height: 64 };
const options = (overrides: Partial<FinishOptions> = {}): FinishOptions => ({
  format: 'png',
  longestSide: 512,
  neverSmaller: false,
  inputSize,
  watermark: null,
  ...overrides,
});

describe('size', () => {
  test.each([
    ['enlarges', 96, 64, {}, 512, 341],
    ['shrinks', 1200, 800, {}, 512, 341],
    ['keeps a correct size', 512, 300, {}, 512, 300],
    ['scales a portrait by its height', 64, 96, {}, 341, 512],
    ['keeps a line of one pixel height', 2000, 1, {}, 512, 1],
    ['enlarges a single pixel to a square', 1, 1, {}, 512, 512],
    [
      'never goes below a larger input',
      96,
      64,
      { neverSmaller: true, inputSize: { width: 900, height: 600 } },
      900,
      600,
    ],
    ['still enlarges a smaller input', 96, 64, { neverSmaller: true }, 512, 341],
    [
      'shrinks a larger input without neverSmaller',
      96,
      64,
      { inputSize: { width: 900, height: 600 } },
      512,
      341,
    ],
  ])('%s', async (_, width, height, overrides, expectedWidth, expectedHeight) => {
    const result = await finishResult(await quarters(width, height).jpeg().toBuffer(), options(overrides));
    expect(result).toMatchObject({ width: expectedWidth, height: expectedHeight });
    expect(inspectImage(result.bytes)).toMatchObject({
      ok: true,
      format: 'png',
      width: expectedWidth,
      height: expectedHeight,
    });
  });

  test('is capped at what WebP can store', async () => {
    const input = { width: 20_000, height: 10 };
    const result = await finishResult(
      await quarters(2000, 1).jpeg().toBuffer(),
      options({ format: 'webp', neverSmaller: true, inputSize: input }),
    );
    expect(inspectImage(result.bytes)).toMatchObject({ format: 'webp', width: 16_383 });
  });
});

describe('format', () => {
  test.each(['jpeg', 'png', 'webp'] as const)('the result is a %s without metadata', async (format) => {
    const marked = await quarters()
      .webp()
      .withExif({ IFD0: { Software: 'an upstream' } })
      .toBuffer();
    const { bytes } = await finishResult(marked, options({ format, watermark: 'Image Job API' }));
    const { exif, icc, xmp, ...metadata } = await sharp(bytes).metadata();
    expect({ exif, icc, xmp }).toEqual({});
    expect(metadata).toMatchObject({ format, width: 512, height: 341, channels: 3, depth: 'uchar' });
  });

  test('accepts raw pixels and does not change them', async () => {
    const raw = await toRaw(quarters(512, 300));
    const { bytes } = await finishResult(raw, options());
    expect((await pixelsOf(bytes)).equals(raw.pixels)).toBe(true);
  });
});

describe('watermark', () => {
  const changedShare = async (
    bytes: Buffer,
    plain: Buffer,
    area: { left: number; top: number; width: number; height: number },
  ) => {
    const [marked, clean] = await Promise.all(
      [bytes, plain].map((image) => sharp(image).extract(area).raw().toBuffer()),
    );
    const changed = marked?.filter((level, index) => Math.abs(level - (clean?.[index] ?? 0)) > 8).length ?? 0;
    return changed / (marked?.length ?? 1);
  };

  test.each([
    ['black', '#000000'],
    ['white', '#ffffff'],
    ['grey', '#808080'],
  ])('is visible on %s in every quarter of the image, and covers little of it', async (_, background) => {
    const image = await sharp({ create: { width: 512, height: 340, channels: 3, background } })
      .png()
      .toBuffer();
    const plain = (await finishResult(image, options())).bytes;
    const { bytes } = await finishResult(image, options({ watermark: 'Image Job API' }));
    for (const left of [0, 256]) {
      for (const top of [0, 170]) {
        const share = await changedShare(bytes, plain, { left, top, width: 256, height: 170 });
        expect(share).toBeGreaterThan(0.01);
        expect(share).toBeLessThan(0.2);
      }
    }
  });

  test('scales with the image', async () => {
    const image = await quarters().png().toBuffer();
    const share = async (longestSide: number) => {
      const [plain, marked] = await Promise.all(
        [null, 'Image Job API'].map((watermark) => finishResult(image, options({ longestSide, watermark }))),
      );
      if (!plain || !marked) throw new Error('nothing rendered');
      return changedShare(marked.bytes, plain.bytes, {
        left: 0,
        top: 0,
        width: plain.width,
        height: plain.height,
      });
    };
    expect((await share(2048)) / (await share(512))).toBeCloseTo(1, 0);
  });

  test.each([
    [2048, 1],
    [1, 2048],
    [40, 40],
  ])('works on %i by %i pixels', async (width, height) => {
    const image = await quarters(width, height).png().toBuffer();
    const target = { longestSide: Math.max(width, height), watermark: 'Image Job API' };
    expect(await finishResult(image, options(target))).toMatchObject({ width, height });
  });
});

describe('bytes of an upstream', () => {
  test.each([
    ['a web page', async () => Buffer.from('<!doctype html><h1>502</h1>')],
    ['nothing', async () => Buffer.alloc(0)],
    ['a GIF', () => quarters().gif().toBuffer()],
    ['a decompression bomb', async () => pngClaiming(50_000, 50_000)],
    ['half an image', async () => (await noise().png().toBuffer()).subarray(0, 20_000)],
  ])('are refused when they are %s', async (_, make) => {
    await expect(finishResult(await make(), options())).rejects.toThrow(ImageError);
  });
});

const pixelsOf = async (bytes: Buffer): Promise<RawImage['pixels']> => sharp(bytes).raw().toBuffer();
