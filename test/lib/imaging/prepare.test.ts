import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { ImageError } from '../../../lib/imaging/errors.ts';
import { configureLibvips } from '../../../lib/imaging/libvips.ts';
import { prepareInput } from '../../../lib/imaging/prepare.ts';
import { jpegColourAt, noise, pngClaiming, QUARTERS, quarters, withScans } from './images.ts';

beforeAll(configureLibvips);

const near = (colour: readonly number[], tolerance = 24) =>
  colour.map((level) => expect.toSatisfy((seen: number) => Math.abs(seen - level) <= tolerance));
const refusal = (bytes: Buffer) =>
  prepareInput(bytes).then(
    () => 'accepted',
    (error: unknown) => (error instanceof ImageError ? error.message : error),
  );

describe('orientation', () => {
  /** The stored corner that is shown at the top left, by EXIF orientation (EXIF 2.3, 4.6.4). */
  const TOP_LEFT = [
    'topLeft',
    'topRight',
    'bottomRight',
    'bottomLeft',
    'topLeft',
    'bottomLeft',
    'bottomRight',
    'topRight',
  ] as const;

  test.each(TOP_LEFT.map((corner, index) => [index + 1, corner] as const))(
    '%i is applied',
    async (orientation, corner) => {
      for (const stored of [quarters().jpeg(), quarters().png(), quarters().webp({ lossless: true })]) {
        const prepared = await prepareInput(await stored.withMetadata({ orientation }).toBuffer());
        const upright = orientation > 4 ? { width: 64, height: 96 } : { width: 96, height: 64 };
        expect(prepared).toMatchObject({ ...upright, inputSize: upright });
        expect(await jpegColourAt(prepared.bytes, 0.2, 0.2)).toEqual(near(QUARTERS[corner]));
      }
    },
  );
});

describe('metadata', () => {
  test('is removed, including the location', async () => {
    const located = await quarters()
      .jpeg()
      .withExif({
        IFD0: { Copyright: 'a photographer' },
        IFD3: { GPSLatitude: '52/1 30/1 0/1', GPSLatitudeRef: 'N' },
      })
      .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">secret</x:xmpmeta>')
      .toBuffer();
    expect((await sharp(located).metadata()).exif?.includes('a photographer')).toBe(true);
    expect(located.includes('secret')).toBe(true);

    const { bytes } = await prepareInput(located);
    const { exif, xmp, icc, iptc } = await sharp(bytes).metadata();
    expect({ exif, xmp, icc, iptc }).toEqual({});
    expect(bytes.includes('secret')).toBe(false);
  });

  test('of a wide colour space is applied and dropped', async () => {
    const wide = await quarters().withIccProfile('p3').png().toBuffer();
    const { bytes } = await prepareInput(wide);
    expect((await sharp(bytes).metadata()).icc).toBeUndefined();
    expect(await jpegColourAt(bytes, 0.2, 0.2)).toEqual(near(QUARTERS.topLeft, 6));
  });
});

describe('pixel formats', () => {
  test.each([
    ['CMYK JPEG', () => quarters().toColourspace('cmyk').jpeg()],
    ['16-bit PNG', () => quarters().toColourspace('rgb16').png()],
    ['grey JPEG', () => quarters().greyscale().jpeg()],
    ['grey PNG with alpha', () => quarters().greyscale().ensureAlpha(0.5).png()],
    ['PNG with a palette', () => quarters().png({ palette: true })],
    ['WebP', () => quarters().webp()],
  ])('%s becomes a JPEG in 8-bit sRGB with three channels', async (_, make) => {
    const prepared = await prepareInput(await make().toBuffer());
    expect(await sharp(prepared.bytes).metadata()).toMatchObject({
      format: 'jpeg',
      space: 'srgb',
      channels: 3,
      depth: 'uchar',
      hasAlpha: false,
    });
  });

  test('transparent pixels become white', async () => {
    const { bytes } = await prepareInput(await quarters().ensureAlpha(0).png().toBuffer());
    expect(await jpegColourAt(bytes, 0.2, 0.2)).toEqual([255, 255, 255]);
  });

  test('the first frame of an animation is used', async () => {
    const frames = await Promise.all([quarters().png().toBuffer(), noise(96, 64).png().toBuffer()]);
    const animated = await sharp(frames, { join: { animated: true } })
      .webp({ lossless: true })
      .toBuffer();
    const prepared = await prepareInput(animated);
    expect(prepared).toMatchObject({ width: 96, height: 64 });
    expect(await jpegColourAt(prepared.bytes, 0.2, 0.2)).toEqual(near(QUARTERS.topLeft));
  });
});

describe('size', () => {
  test('is kept, or scaled down to the limit, but never up', async () => {
    const bytes = await quarters(300, 200).jpeg().toBuffer();
    expect(await prepareInput(bytes)).toMatchObject({ width: 300, height: 200 });
    expect(await prepareInput(bytes, { longestSideAtMost: 150 })).toMatchObject({
      width: 150,
      height: 100,
      inputSize: { width: 300, height: 200 },
    });
    expect(await prepareInput(bytes, { longestSideAtMost: 400 })).toMatchObject({ width: 300, height: 200 });
  });
});

describe('hostile files', () => {
  test.each([
    ['JPEG', () => noise().jpeg()],
    ['progressive JPEG', () => noise().jpeg({ progressive: true })],
    ['PNG', () => noise().png()],
    ['WebP', () => noise().webp()],
    ['lossless WebP', () => noise().webp({ lossless: true })],
  ])('a %s truncated anywhere in its pixels is refused as damaged', async (_, make) => {
    const whole = await make().toBuffer();
    for (const share of [0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98]) {
      expect(await refusal(whole.subarray(0, Math.floor(whole.length * share)))).toContain('damaged');
      const small = prepareInput(whole.subarray(0, Math.floor(whole.length * share)), {
        longestSideAtMost: 16,
      });
      await expect(small).rejects.toThrow(ImageError);
    }
  });

  test('a PNG with a flipped bit is refused as damaged', async () => {
    const bytes = await noise().png().toBuffer();
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 0x10;
    expect(await refusal(bytes)).toContain('damaged');
  });

  test.each([
    ['GIF', () => quarters().gif().toBuffer(), 'GIF'],
    ['AVIF', () => quarters().avif().toBuffer(), 'AVIF'],
    ['TIFF', () => quarters().tiff().toBuffer(), 'TIFF'],
    ['SVG', async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'), 'SVG'],
    ['a header with a huge size', async () => pngClaiming(60_000, 60_000), 'megapixels'],
    [
      '883 scans',
      async () => withScans(await quarters().jpeg({ progressive: true }).toBuffer(), 883),
      'scans',
    ],
    [
      'a header and a ZIP',
      async () => Buffer.concat([pngClaiming(9, 9), Buffer.from('PK\x03\x04')]),
      'damaged',
    ],
  ])('%s is refused', async (_, make, reason) => {
    expect(await refusal(await make())).toContain(reason);
  });

  test('bytes after the end of an image are dropped', async () => {
    const polyglot = Buffer.concat([
      await quarters().jpeg().toBuffer(),
      Buffer.from('PK\x03\x04<script>alert(1)</script>'),
    ]);
    const { bytes } = await prepareInput(polyglot);
    expect(bytes.includes('script')).toBe(false);
  });

  test('libvips itself opens only the three formats', async () => {
    const gif = await quarters().gif().toBuffer();
    await expect(sharp(gif).metadata()).rejects.toThrow();
    await expect(
      sharp(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')).metadata(),
    ).rejects.toThrow();
  });
});

test.each([
  [16_384, 64],
  [64, 16_384],
])('pads %i by %i pixels, scaled down first, to a ratio of the upstream', async (width, height) => {
  const strip = await sharp({ create: { width, height, channels: 3, background: '#c02020' } })
    .jpeg()
    .toBuffer();
  const prepared = await prepareInput(strip, { longestSideAtMost: 4096, ratios: ['1:1', '3:2', '2:3'] });
  expect(Math.max(prepared.width, prepared.height)).toBe(4096);
  expect(Math.min(prepared.width, prepared.height)).toBe(2731);
  expect(Math.min(prepared.content.width, prepared.content.height)).toBe(16);
  const { channels } = await sharp(prepared.bytes).stats();
  // Its own edges fill the whole: no black bars.
  expect(channels[0]?.min).toBeGreaterThan(180);
});
