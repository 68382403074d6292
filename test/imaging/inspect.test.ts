import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inspectImage } from '../../imaging/inspect.ts';
import {
  EOI,
  frame,
  jpeg,
  noise,
  pngClaiming,
  quarters,
  scan,
  segment,
  webpClaiming,
  withScans,
} from './pictures.ts';

const reasonOf = (bytes: Buffer) => {
  const verdict = inspectImage(bytes);
  return verdict.ok ? 'ok' : verdict.reason;
};
const exif = (payload: Buffer) => segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), payload]));

describe('sizes of real pictures', () => {
  it.each([
    ['baseline JPEG', 'jpeg', () => quarters(301, 77).jpeg().toBuffer()],
    ['progressive JPEG', 'jpeg', () => quarters(301, 77).jpeg({ progressive: true }).toBuffer()],
    ['JPEG with restart markers in noise', 'jpeg', () => noise(301, 77).jpeg({ quality: 100 }).toBuffer()],
    ['interlaced PNG', 'png', () => quarters(301, 77).png({ progressive: true }).toBuffer()],
    ['lossy WebP', 'webp', () => quarters(301, 77).webp().toBuffer()],
    ['lossless WebP', 'webp', () => quarters(301, 77).webp({ lossless: true }).toBuffer()],
    ['WebP with alpha', 'webp', () => quarters(301, 77).ensureAlpha(0.5).webp().toBuffer()],
  ] as const)('%s', async (_, format, make) => {
    expect(inspectImage(await make())).toEqual({ ok: true, format, width: 301, height: 77 });
  });
});

describe('what is not a picture', () => {
  it.each([
    ['nothing', Buffer.alloc(0), 'must be a JPEG, PNG or WebP.'],
    ['text', Buffer.from('hello'), 'must be a JPEG, PNG or WebP.'],
    ['SVG', Buffer.from('  <svg xmlns="http://www.w3.org/2000/svg"/>'), 'looks like SVG'],
    ['GIF', Buffer.from('GIF89a\x01\0\x01\0'), 'looks like GIF'],
    ['PDF', Buffer.from('%PDF-1.7'), 'looks like PDF'],
    ['AVIF', Buffer.from('\0\0\0\x1cftypavif'), 'looks like AVIF'],
    ['HEIC', Buffer.from('\0\0\0\x18ftypheic'), 'looks like HEIC'],
    ['ZIP', Buffer.from('PK\x03\x04....'), 'looks like ZIP'],
    ['HTML', Buffer.from('<!DOCTYPE html><p>'), 'looks like HTML'],
    ['a JPEG magic and no more', Buffer.from([0xff, 0xd8, 0xff]), 'header is not complete'],
    ['a RIFF that is a sound', Buffer.from('RIFF\0\0\0\0WAVEfmt '), 'must be a JPEG, PNG or WebP.'],
    ['a WebP of an unknown kind', Buffer.from('RIFF\0\0\0\0WEBPVP9 '.padEnd(40)), 'header is not complete'],
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

describe('sizes nobody may send', () => {
  it.each([
    ['a PNG of 4 gigapixels a side', pngClaiming(0xffffffff, 0xffffffff), 'at most 100 megapixels'],
    ['a PNG one row over', pngClaiming(10_000, 10_001), 'at most 100 megapixels'],
    ['a JPEG of 65535 squared', jpeg(frame(65_535, 65_535), scan()), 'at most 100 megapixels'],
    ['a WebP canvas', webpClaiming('VP8X', 16_777_216, 255), 'at most 100 megapixels'],
    ['a lossless WebP', webpClaiming('VP8L', 16_384, 16_384), 'at most 100 megapixels'],
    ['a PNG without width', pngClaiming(0, 5), 'no pixels'],
    ['a JPEG whose height comes later', jpeg(frame(5, 0), scan()), 'no pixels'],
    ['a lossy WebP without height', webpClaiming('VP8 ', 5, 0), 'no pixels'],
  ])('%s', (_, bytes, reason) => {
    expect(reasonOf(bytes)).toContain(reason);
  });

  it('lets exactly 100 megapixels pass', () => {
    expect(inspectImage(pngClaiming(10_000, 10_000))).toEqual({
      ok: true,
      format: 'png',
      width: 10_000,
      height: 10_000,
    });
  });
});

describe('scans of a JPEG', () => {
  const scans = (count: number) => Array.from({ length: count }, () => scan());

  it('allows a hundred and refuses one more', () => {
    expect(reasonOf(jpeg(frame(8, 8, 0xc2), ...scans(100), EOI))).toBe('ok');
    expect(reasonOf(jpeg(frame(8, 8, 0xc2), ...scans(101), EOI))).toContain('more than 100 scans');
  });

  it('refuses a real progressive JPEG whose last scan comes 883 times', async () => {
    const bomb = withScans(await quarters().jpeg({ progressive: true }).toBuffer(), 883);
    expect(reasonOf(bomb)).toContain('more than 100 scans');
  });

  it('counts no scan of a thumbnail inside a segment, stuffed byte, restart marker or tail', () => {
    const inside = exif(jpeg(frame(4, 4), ...scans(200), EOI));
    const entropy = scan(Array.from({ length: 300 }, () => [0xff, 0x00, 0xda, 0xff, 0xd3]).flat());
    expect(inspectImage(jpeg(inside, frame(8, 9), entropy, EOI, ...scans(200)))).toMatchObject({
      ok: true,
      width: 8,
      height: 9,
    });
  });

  it('finds scans behind fill bytes, stray bytes and segments between them', () => {
    const hidden = Array.from({ length: 101 }, () => [
      Buffer.from([0x00, 0x99, 0xff, 0xff]),
      scan(),
      segment(0xfe, EOI),
    ]).flat();
    expect(reasonOf(jpeg(frame(8, 8, 0xc2), ...hidden))).toContain('more than 100 scans');
  });

  it('gives up on a file of nothing but empty segments', () => {
    const empty = Array<Buffer>(20_000).fill(segment(0xfe, Buffer.alloc(0)));
    expect(reasonOf(jpeg(frame(8, 8), scan(), ...empty))).toContain('header is not complete');
  });

  it.each([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc9, 0xca, 0xcf])('reads the size of frame type %i', (marker) => {
    const decoys = [0xc4, 0xc8, 0xcc].map((code) => frame(999, 999, code));
    expect(inspectImage(jpeg(...decoys, frame(12, 34, marker), scan()))).toMatchObject({
      width: 12,
      height: 34,
    });
  });
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

  it('never throw, and a verdict for good is within the limits', () => {
    fc.assert(
      fc.property(anything, (bytes) => {
        const verdict = inspectImage(bytes);
        if (!verdict.ok) return verdict.reason.endsWith('.');
        return verdict.width > 0 && verdict.height > 0 && verdict.width * verdict.height <= 100_000_000;
      }),
      { numRuns: 3000 },
    );
  });

  it('are never read past their end', () => {
    fc.assert(
      fc.property(anything, fc.uint8Array({ maxLength: 64 }), (bytes, beyond) => {
        const view = Buffer.concat([bytes, beyond]).subarray(0, bytes.length);
        expect(inspectImage(view)).toEqual(inspectImage(bytes));
      }),
    );
  });

  it('of a picture cut anywhere keep the size or are refused', async () => {
    for (const picture of [quarters().jpeg(), quarters().png(), quarters().webp()]) {
      const whole = await picture.toBuffer();
      for (let length = 0; length < whole.length; length++) {
        const verdict = inspectImage(whole.subarray(0, length));
        if (verdict.ok) expect(verdict).toMatchObject({ width: 96, height: 64 });
      }
    }
  });
});
