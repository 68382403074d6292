import fc from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, test } from 'vitest';
import { EXPENSIVE, REFUSED } from '../../../dev/bench/hostile/hostile-images.ts';
import { EOI, frame, jpeg, scan, segment } from '../../../dev/bench/hostile/jpeg.ts';
import { blackPng, chunk, ihdr, png } from '../../../dev/bench/hostile/png.ts';
import { canvas, plainLossless, webp } from '../../../dev/bench/hostile/webp.ts';
import { inspectImage } from '../../../lib/imaging/inspect.ts';
import { lossyWebpClaiming, noise, pngClaiming, quarters, withScans } from './images.ts';

const reasonOf = (bytes: Buffer) => {
  const inspection = inspectImage(bytes);
  return inspection.ok ? 'ok' : inspection.reason;
};
const exif = (payload: Buffer) => segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), payload]));

describe('sizes of real images', () => {
  test.each([
    ['baseline JPEG', 'jpeg', () => quarters(301, 77).jpeg().toBuffer()],
    ['progressive JPEG', 'jpeg', () => quarters(301, 77).jpeg({ progressive: true }).toBuffer()],
    ['JPEG with restart markers in noise', 'jpeg', () => noise(301, 77).jpeg({ quality: 100 }).toBuffer()],
    ['interlaced PNG', 'png', () => quarters(301, 77).png({ progressive: true }).toBuffer()],
    ['lossy WebP', 'webp', () => quarters(301, 77).webp().toBuffer()],
    ['lossless WebP', 'webp', () => quarters(301, 77).webp({ lossless: true }).toBuffer()],
    ['WebP with alpha', 'webp', () => quarters(301, 77).ensureAlpha(0.5).webp().toBuffer()],
  ] as const)('%s', async (_, format, make) => {
    expect(inspectImage(await make())).toMatchObject({ ok: true, format, width: 301, height: 77 });
  });
});

describe('bytes that are not an image', () => {
  test.each([
    ['nothing', Buffer.alloc(0), 'must be a JPEG, PNG or WebP.'],
    ['text', Buffer.from('hello'), 'must be a JPEG, PNG or WebP.'],
    ['SVG', Buffer.from('  <svg xmlns="http://www.w3.org/2000/svg"/>'), 'looks like SVG'],
    ['GIF', Buffer.from('GIF89a\x01\0\x01\0'), 'looks like GIF'],
    ['PDF', Buffer.from('%PDF-1.7'), 'looks like PDF'],
    ['AVIF', Buffer.from('\0\0\0\x1cftypavif'), 'looks like AVIF'],
    ['HEIC', Buffer.from('\0\0\0\x18ftypheic'), 'looks like HEIC'],
    ['ZIP', Buffer.from('PK\x03\x04....'), 'looks like ZIP'],
    ['HTML', Buffer.from('<!DOCTYPE html><p>'), 'looks like HTML'],
    ['only the magic bytes of a JPEG', Buffer.from([0xff, 0xd8, 0xff]), 'header is not complete'],
    ['a RIFF with sound', Buffer.from('RIFF\0\0\0\0WAVEfmt '), 'must be a JPEG, PNG or WebP.'],
    ['a WebP of an unknown kind', Buffer.from('RIFF\x20\0\0\0WEBPVP9 '.padEnd(40)), 'header is not complete'],
    [
      'a PNG whose first chunk is not IHDR',
      Buffer.concat([pngClaiming(1, 1).subarray(0, 8), Buffer.from('PK\x03\x04'.padEnd(40))]),
      'header is not complete',
    ],
    ['a JPEG without a scan', jpeg(frame(10, 10), EOI), 'header is not complete'],
    ['a JPEG without a frame', jpeg(scan(), EOI), 'header is not complete'],
  ])('%s', (_, bytes, reason) => {
    expect(reasonOf(bytes)).toContain(reason);
  });
});

describe('sizes over the limits', () => {
  test.each([
    ['a PNG of 4 billion pixels a side', pngClaiming(0xffffffff, 0xffffffff), 'at most 100 megapixels'],
    ['a PNG with one row too many', pngClaiming(10_000, 10_001), 'at most 100 megapixels'],
    ['a JPEG of 65535 by 65535 pixels', jpeg(frame(65_535, 65_535), scan()), 'at most 100 megapixels'],
    ['a lossless WebP', webp(plainLossless(16_384, 16_384)), 'at most 100 megapixels'],
    ['a line of 16385 pixels', pngClaiming(16_385, 1), 'no side may have more than 16384'],
    ['a column of 65000 pixels', jpeg(frame(1, 65_000), scan()), 'no side may have more than 16384'],
    ['a PNG without width', pngClaiming(0, 5), 'no pixels'],
    ['a JPEG whose height comes later', jpeg(frame(5, 0), scan()), 'no pixels'],
    ['a lossy WebP without height', lossyWebpClaiming(5, 0), 'no pixels'],
  ])('%s', (_, bytes, reason) => {
    expect(reasonOf(bytes)).toContain(reason);
  });

  test('accepts exactly 100 megapixels', () => {
    expect(reasonOf(pngClaiming(10_000, 10_000))).toBe('ok');
    expect(reasonOf(pngClaiming(16_384, 6103))).toBe('ok');
  });

  test('refuses a WebP whose image is smaller than its canvas', () => {
    const extended = webp(canvas(16_777_216, 255, 0), plainLossless(16, 16));
    expect(reasonOf(extended)).toContain('another size');
  });
});

describe('hostile images', () => {
  test.each(Object.entries(REFUSED))('%s is refused with a complete sentence', async (_, build) => {
    const inspection = inspectImage(await build());
    expect(inspection.ok).toBe(false);
    expect(inspection).toMatchObject({ reason: expect.stringMatching(/^The .+[.]$/) });
  });

  test.each(Object.entries(EXPENSIVE))('%s is accepted: a renderer can decode it', async (_, build) => {
    expect(reasonOf(await build())).toBe('ok');
  });

  test('are refused with advice on what to change', async () => {
    const reason = async (name: string) => reasonOf((await REFUSED[name]?.()) ?? Buffer.alloc(0));
    expect(await reason('PNG of 200000x8 pixels')).toContain('Scale it down');
    expect(await reason('animated WebP of 100,000 frames')).toContain('send a still image');
    expect(await reason('JPEG of 883 scans')).toContain('save it again as a plain JPEG');
    expect(await reason('interlaced PNG of 100 megapixels, four channels of 16 bits')).toBe(
      'The PNG takes 800 million bytes to decode; at most 640 are allowed. Save it without interlacing or progressive scans.',
    );
  });
});

describe('the figures for the estimate of a render', () => {
  const figuresOf = (bytes: Buffer) => {
    const inspection = inspectImage(bytes);
    if (!inspection.ok) throw new Error(inspection.reason);
    const { channels, bitDepth, interlaced, frames, heldBytes } = inspection;
    return { channels, bitDepth, interlaced, frames, heldBytes };
  };
  const shape = { width: 100, height: 80 };
  const still = { interlaced: false, frames: 1, heldBytes: 0 };

  test('are, for a PNG, its decoded channels, depth and interlacing', () => {
    expect(figuresOf(blackPng({ ...shape, colour: 'grey', depth: 1 }))).toEqual({
      channels: 1,
      bitDepth: 8,
      ...still,
    });
    expect(figuresOf(blackPng({ ...shape, colour: 'rgba', depth: 16 }))).toEqual({
      channels: 4,
      bitDepth: 16,
      ...still,
    });
    const before = [chunk('tRNS', Buffer.alloc(1))];
    const palette = blackPng({ ...shape, colour: 'palette', depth: 8, before, interlaced: true });
    expect(figuresOf(palette)).toEqual({
      channels: 4,
      bitDepth: 8,
      interlaced: true,
      frames: 1,
      heldBytes: 32_000,
    });
  });

  test('are, for a progressive JPEG, all coefficients by the sampling of each channel', async () => {
    const image = quarters(160, 160);
    const progressive = (chromaSubsampling: string) =>
      image.clone().jpeg({ progressive: true, chromaSubsampling }).toBuffer();
    expect(figuresOf(await progressive('4:4:4')).heldBytes).toBe(160 * 160 * 3 * 2);
    expect(figuresOf(await progressive('4:2:0')).heldBytes).toBe(160 * 160 * 1.5 * 2);
    expect(figuresOf(await image.jpeg().toBuffer())).toEqual({ channels: 3, bitDepth: 8, ...still });
  });

  test('are, for a WebP, the whole image if it is lossless, else its alpha', async () => {
    expect(figuresOf(await quarters(100, 80).webp().toBuffer())).toEqual({
      channels: 3,
      bitDepth: 8,
      ...still,
    });
    const alpha = figuresOf(await quarters(100, 80).ensureAlpha(0.5).webp().toBuffer());
    expect(alpha).toMatchObject({ channels: 4, heldBytes: 8000 });
    expect(figuresOf(webp(plainLossless(100, 80))).heldBytes).toBe(32_000);
  });

  test('include whether EXIF rotates or flips the image', async () => {
    const turned = async (stored: Sharp) => {
      const inspection = inspectImage(await stored.toBuffer());
      return inspection.ok && inspection.turned;
    };
    for (const stored of [quarters().jpeg(), quarters().png(), quarters().webp()]) {
      for (const orientation of [2, 3, 6])
        expect(await turned(stored.clone().withMetadata({ orientation }))).toBe(true);
      expect(await turned(stored.clone().withMetadata({ orientation: 1 }))).toBe(false);
      expect(await turned(stored.clone())).toBe(false);
    }
  });

  test('include the number of frames of an animation', async () => {
    const frames = await Promise.all([quarters().png().toBuffer(), noise(96, 64).png().toBuffer()]);
    const animated = await sharp(frames, { join: { animated: true } })
      .webp()
      .toBuffer();
    expect(figuresOf(animated)).toMatchObject({ frames: 2 });
    const controls = [chunk('fcTL', Buffer.alloc(26)), chunk('fcTL', Buffer.alloc(26))];
    expect(figuresOf(png(ihdr({ ...shape, colour: 'rgb', depth: 8 }), ...controls))).toMatchObject({
      frames: 2,
    });
  });
});

describe('scans of a JPEG', () => {
  const scans = (count: number) => Array.from({ length: count }, () => scan());

  test('are limited to 100', () => {
    expect(reasonOf(jpeg(frame(8, 8, { marker: 0xc2 }), ...scans(100), EOI))).toBe('ok');
    expect(reasonOf(jpeg(frame(8, 8, { marker: 0xc2 }), ...scans(101), EOI))).toContain(
      'more than 100 scans',
    );
  });

  test('are counted in a real progressive JPEG whose last scan is repeated 883 times', async () => {
    const bomb = withScans(await quarters().jpeg({ progressive: true }).toBuffer(), 883);
    expect(reasonOf(bomb)).toContain('more than 100 scans');
  });

  test('are not counted in a thumbnail, in stuffed bytes, at restart markers or after the end', () => {
    const inside = exif(jpeg(frame(4, 4), ...scans(200), EOI));
    const bytes = Array.from({ length: 300 }, () => [0xff, 0x00, 0xda, 0xff, 0xd3]).flat();
    const entropy = scan({ entropy: Buffer.from(bytes) });
    expect(inspectImage(jpeg(inside, frame(8, 9), entropy, EOI, ...scans(200)))).toMatchObject({
      ok: true,
      width: 8,
      height: 9,
    });
  });

  test('are found after fill bytes, stray bytes and other segments', () => {
    const hidden = Array.from({ length: 101 }, () => [
      Buffer.from([0x00, 0x99, 0xff, 0xff]),
      scan(),
      segment(0xfe, EOI),
    ]).flat();
    expect(reasonOf(jpeg(frame(8, 8, { marker: 0xc2 }), ...hidden))).toContain('more than 100 scans');
  });

  test.each([0xc0, 0xc1, 0xc2])(
    'do not affect the size, read from frame type %i after similar markers',
    (marker) => {
      const decoys = [0xc4, 0xc8, 0xcc].map((code) => frame(999, 999, { marker: code }));
      expect(inspectImage(jpeg(...decoys, frame(12, 34, { marker }), scan()))).toMatchObject({
        width: 12,
        height: 34,
      });
    },
  );
});

describe('any bytes', () => {
  const magics = [
    [],
    [0xff, 0xd8, 0xff],
    [...pngClaiming(1, 1).subarray(0, 16)],
    [...Buffer.from('RIFF\0\0\0\0WEBPVP8X')],
  ];
  const anything = fc
    .tuple(fc.constantFrom(...magics), fc.uint8Array({ maxLength: 600 }))
    .map(([magic, rest]) => Buffer.from([...magic, ...rest]));

  test('never throw, and an accepted image is within the limits', () => {
    fc.assert(
      fc.property(anything, (bytes) => {
        const inspection = inspectImage(bytes);
        if (!inspection.ok) return inspection.reason.endsWith('.');
        return (
          inspection.width > 0 && inspection.height > 0 && inspection.width * inspection.height <= 100_000_000
        );
      }),
      { numRuns: 3000 },
    );
  });

  test('are never read past their end', () => {
    fc.assert(
      fc.property(anything, fc.uint8Array({ maxLength: 64 }), (bytes, beyond) => {
        const view = Buffer.concat([bytes, beyond]).subarray(0, bytes.length);
        expect(inspectImage(view)).toEqual(inspectImage(bytes));
      }),
    );
  });

  test('that are a truncated image keep its size or are refused', async () => {
    for (const image of [quarters().jpeg(), quarters().png(), quarters().webp()]) {
      const whole = await image.toBuffer();
      for (let length = 0; length < whole.length; length++) {
        const inspection = inspectImage(whole.subarray(0, length));
        if (inspection.ok) expect(inspection).toMatchObject({ width: 96, height: 64 });
      }
    }
  });
});
