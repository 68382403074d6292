import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { inkOf, lay, layTiles } from '../../../lib/imaging/ink.ts';
import { openRaw, type RawImage, toRaw } from '../../../lib/imaging/libvips.ts';
import { drawWatermark, tileFor } from '../../../lib/imaging/watermark.ts';

const TEXT = 'Image Job API';

const flat = (width: number, height: number, level = 100): RawImage => ({
  width,
  height,
  pixels: Buffer.alloc(width * height * 3, level),
});

const changedShare = (image: RawImage, level = 100) =>
  image.pixels.filter((pixel) => Math.abs(pixel - level) > 8).length / image.pixels.length;

describe('the tile', () => {
  test('is drawn once for images of similar size', () => {
    expect(tileFor({ width: 2048, height: 1366 }, TEXT)).toBe(tileFor({ width: 1500, height: 2000 }, TEXT));
    expect(tileFor({ width: 2048, height: 1366 }, TEXT)).not.toBe(
      tileFor({ width: 4096, height: 2732 }, TEXT),
    );
  });

  test('shows the words it is given', async () => {
    const size = { width: 2048, height: 1366 };
    expect((await tileFor(size, 'Example Studio')).ink).not.toEqual((await tileFor(size, TEXT)).ink);
  });

  test('has at most 1,024 pixels a side for any image, and there are at most nine', async () => {
    const side = fc.integer({ min: 1, max: 1_000_000 });
    const sides = new Set<number>();
    await fc.assert(
      fc.asyncProperty(side, side, async (width, height) => {
        const { ink } = await tileFor({ width, height }, TEXT);
        expect(Math.max(ink.width, ink.height)).toBeLessThanOrEqual(1024);
        sides.add(ink.width);
      }),
    );
    expect(sides.size).toBeLessThanOrEqual(9);
  });
});

describe('a watermark', () => {
  test('is the same drawn by libvips and on raw pixels', async () => {
    const size = { width: 1200, height: 900 };
    const { overlay } = await tileFor(size, TEXT);
    const composed = openRaw(flat(1200, 900)).composite([{ ...overlay, tile: true, gravity: 'northwest' }]);
    const expected = await toRaw(composed.removeAlpha());
    const marked = await toRaw(await drawWatermark(openRaw(flat(1200, 900)), size, TEXT));
    const largest = marked.pixels.reduce(
      (max, level, at) => Math.max(max, Math.abs(level - (expected.pixels[at] ?? 0))),
      0,
    );
    expect(largest).toBeLessThanOrEqual(2);
    expect(changedShare(marked)).toBeGreaterThan(0.01);
  });

  test('is drawn on images too large to hold in memory', async () => {
    const size = { width: 5000, height: 4000 };
    const marked = await toRaw(await drawWatermark(openRaw(flat(5000, 4000)), size, TEXT));
    expect(marked).toMatchObject(size);
    expect(changedShare(marked)).toBeGreaterThan(0.01);
  });

  test('is visible on a wide, low image', async () => {
    const marked = await toRaw(
      await drawWatermark(openRaw(flat(4096, 128)), { width: 4096, height: 128 }, TEXT),
    );
    for (let left = 0; left < 4096; left += 512) {
      const area = await toRaw(openRaw(marked).extract({ left, top: 0, width: 512, height: 128 }));
      expect(changedShare(area)).toBeGreaterThan(0.01);
    }
  });
});

describe('ink', () => {
  const overlay = inkOf(Buffer.from([255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 128, 40, 40, 40, 255]), {
    width: 2,
    height: 2,
  });

  test('covers, keeps or darkens pixels by its opacity', () => {
    const image = flat(2, 2, 200);
    lay(overlay, image, { left: 0, top: 0 });
    expect([...image.pixels]).toEqual([255, 255, 255, 200, 200, 200, 99, 99, 99, 40, 40, 40]);
  });

  test('is clipped at the edges of the image', () => {
    const place = fc.integer({ min: 0, max: 9 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        place,
        place,
        (width, height, left, top) => {
          const image = flat(width, height, 200);
          lay(overlay, image, { left, top });
          const expected = flat(width, height, 200);
          const inks = [255, 200, 99, 40];
          inks.forEach((level, index) => {
            const [x, y] = [left + (index % 2), top + (index >> 1)];
            if (x < width && y < height)
              expected.pixels.fill(level, (y * width + x) * 3, (y * width + x) * 3 + 3);
          });
          expect(image.pixels).toEqual(expected.pixels);
        },
      ),
    );
  });

  test('is tiled up to every edge', async () => {
    const image = flat(5, 3, 200);
    layTiles(overlay, image);
    const { data } = await sharp(image.pixels, { raw: { width: 5, height: 3, channels: 3 } })
      .extractChannel(0)
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([...data]).toEqual([255, 200, 255, 200, 255, 99, 40, 99, 40, 99, 255, 200, 255, 200, 255]);
  });
});
