import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { inkOf, lay, layTiles } from '../../imaging/ink.ts';
import { openRaw, type RawImage, toRaw } from '../../imaging/libvips.ts';
import { drawWatermark, tileFor } from '../../imaging/watermark.ts';

const flat = (width: number, height: number, level = 100): RawImage => ({
  width,
  height,
  pixels: Buffer.alloc(width * height * 3, level),
});

const changed = (image: RawImage, level = 100) =>
  image.pixels.filter((one) => Math.abs(one - level) > 8).length / image.pixels.length;

describe('the tile', () => {
  it('is drawn once for all pictures of about a size', () => {
    expect(tileFor({ width: 2048, height: 1366 })).toBe(tileFor({ width: 1500, height: 2000 }));
    expect(tileFor({ width: 2048, height: 1366 })).not.toBe(tileFor({ width: 4096, height: 2732 }));
  });

  it('has at most 1,024 pixels a side whatever the picture has, and there are nine of them', async () => {
    const side = fc.integer({ min: 1, max: 1_000_000 });
    const sides = new Set<number>();
    await fc.assert(
      fc.asyncProperty(side, side, async (width, height) => {
        const { ink } = await tileFor({ width, height });
        expect(Math.max(ink.width, ink.height)).toBeLessThanOrEqual(1024);
        sides.add(ink.width);
      }),
    );
    expect(sides.size).toBeLessThanOrEqual(9);
  });
});

describe('a watermark', () => {
  it('is the same whether libvips draws it or the pixels are at hand', async () => {
    const size = { width: 1200, height: 900 };
    const { overlay } = await tileFor(size);
    const composed = openRaw(flat(1200, 900)).composite([{ ...overlay, tile: true, gravity: 'northwest' }]);
    const expected = await toRaw(composed.removeAlpha());
    const seen = await toRaw(await drawWatermark(openRaw(flat(1200, 900)), size));
    const most = seen.pixels.reduce(
      (sum, level, at) => Math.max(sum, Math.abs(level - (expected.pixels[at] ?? 0))),
      0,
    );
    expect(most).toBeLessThanOrEqual(2);
    expect(changed(seen)).toBeGreaterThan(0.01);
  });

  it('is on pictures too large to hold', async () => {
    const size = { width: 5000, height: 4000 };
    const seen = await toRaw(await drawWatermark(openRaw(flat(5000, 4000)), size));
    expect(seen).toMatchObject(size);
    expect(changed(seen)).toBeGreaterThan(0.01);
  });

  it('can be seen on a picture that is wide and low', async () => {
    const seen = await toRaw(await drawWatermark(openRaw(flat(4096, 128)), { width: 4096, height: 128 }));
    for (let left = 0; left < 4096; left += 512) {
      const part = await toRaw(openRaw(seen).extract({ left, top: 0, width: 512, height: 128 }));
      expect(changed(part)).toBeGreaterThan(0.01);
    }
  });
});

describe('ink', () => {
  const half = inkOf(Buffer.from([255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 128, 40, 40, 40, 255]), {
    width: 2,
    height: 2,
  });

  it('covers, leaves alone and darkens as its pixels say', () => {
    const image = flat(2, 2, 200);
    lay(half, image, { left: 0, top: 0 });
    expect([...image.pixels]).toEqual([255, 255, 255, 200, 200, 200, 99, 99, 99, 40, 40, 40]);
  });

  it('never leaves the picture', () => {
    const place = fc.integer({ min: 0, max: 9 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        place,
        place,
        (width, height, left, top) => {
          const image = flat(width, height, 200);
          lay(half, image, { left, top });
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

  it('in tiles reaches every edge', async () => {
    const image = flat(5, 3, 200);
    layTiles(half, image);
    const { data } = await sharp(image.pixels, { raw: { width: 5, height: 3, channels: 3 } })
      .extractChannel(0)
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([...data]).toEqual([255, 200, 255, 200, 255, 99, 40, 99, 40, 99, 255, 200, 255, 200, 255]);
  });
});
