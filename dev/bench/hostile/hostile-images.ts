import sharp from 'sharp';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { EOI, frame, greyProgressiveJpeg, jpeg, scan, segment } from './jpeg.ts';
import { blackPng, chunk, ihdr, png, repeated, SIGNATURE, zlibOfZeros } from './png.ts';
import { animatedWebp, canvas, plainLossless, riffChunk, VP8X_FLAGS, webp } from './webp.ts';

/** Builders of images by name; each returns the same bytes every time. */
export type Images = Readonly<Record<string, () => Buffer | Promise<Buffer>>>;

const MEGAPIXELS_100 = { width: 10_000, height: 10_000 };
const SMALL = { width: 64, height: 64, colour: 'rgb', depth: 8 } as const;

/** The head, followed by the pattern repeated up to the size limit of an image. */
const filling = (head: Buffer, pattern: Buffer) =>
  Buffer.concat([head, repeated(pattern, Math.floor((LIMITS.imageBytes - head.length) / pattern.length))]);

const smallJpeg = jpeg(frame(64, 64), scan());
const smallPng = Buffer.concat([SIGNATURE, ihdr(SMALL)]);
const fullWebp = (filler: Buffer) =>
  webp(canvas(64, 64, 0), plainLossless(64, 64), filling(Buffer.alloc(96), filler));

/** Images that the intake refuses by their headers. */
export const REFUSED: Images = {
  'PNG of 200000x8 pixels': () => blackPng({ width: 200_000, height: 8, colour: 'grey', depth: 1 }),
  'animated WebP of 100,000 frames': () => animatedWebp(100_000),
  'animated WebP of 20 MB': () => animatedWebp(500_000),
  'animated PNG that says it has a million frames': () =>
    blackPng({ ...SMALL, before: [chunk('acTL', Buffer.from([0, 15, 66, 64, 0, 0, 0, 0]))] }),
  'animated PNG of 101 frames that says it has one': () =>
    png(ihdr(SMALL), repeated(chunk('fcTL', Buffer.alloc(26)), 101), chunk('IDAT')),
  'JPEG of 883 scans': () => greyProgressiveJpeg({ ...MEGAPIXELS_100, scans: 883 }),
  'interlaced PNG of 100 megapixels, four channels of 16 bits': () =>
    blackPng({ ...MEGAPIXELS_100, colour: 'rgba', depth: 16, interlaced: true }),
  'progressive JPEG of 100 megapixels in four channels': () =>
    greyProgressiveJpeg({ ...MEGAPIXELS_100, scans: 2, components: 4 }),
  'JPEG of 100 megapixels in four channels, a scan for each': () =>
    jpeg(frame(10_000, 10_000, { sampling: [0x11, 0x11, 0x11, 0x11] }), scan(), scan({ components: [2] })),
  '20 MB of empty PNG chunks': () => filling(smallPng, chunk('IDAT')),
  '20 MB of PNG pixels in chunks of one byte': () => filling(smallPng, chunk('IDAT', Buffer.from([1]))),
  '20 MB of empty WebP chunks': () => fullWebp(riffChunk('ABCD')),
  '20 MB of JPEG fill bytes': () => filling(smallJpeg, Buffer.from([0xff])),
  '20 MB of JPEG stuffing': () => filling(smallJpeg, Buffer.from([0xff, 0x00])),
  '20 MB of JPEG restart markers': () => filling(smallJpeg, Buffer.from([0xff, 0xd0])),
  '20 MB of empty JPEG segments': () => filling(smallJpeg, segment(0xfe, Buffer.alloc(0))),
  'PNG with two headers': () => png(ihdr(SMALL), ihdr({ ...SMALL, ...MEGAPIXELS_100 }), chunk('IDAT')),
  'JPEG with two headers': () => jpeg(frame(64, 64), frame(10_000, 10_000), scan(), EOI),
  'WebP whose image is larger than its canvas': () => webp(canvas(64, 64, 0), plainLossless(10_000, 10_000)),
  'WebP whose frame is larger than its canvas': () =>
    webp(
      canvas(64, 64, VP8X_FLAGS.animation),
      riffChunk('ANIM', Buffer.alloc(6)),
      riffChunk('ANMF', Buffer.concat([Buffer.alloc(16), plainLossless(10_000, 10_000)])),
    ),
  'lossless JPEG': () => jpeg(frame(64, 64, { marker: 0xc3 }), scan(), EOI),
  'hierarchical JPEG': () => jpeg(frame(64, 64, { marker: 0xc5 }), scan(), EOI),
  'arithmetic-coded JPEG': () => jpeg(frame(64, 64, { marker: 0xca }), scan(), EOI),
  'JPEG of 12 bits': () => jpeg(frame(64, 64, { marker: 0xc1, precision: 12 }), scan(), EOI),
  'JPEG of ten channels': () => jpeg(frame(64, 64, { sampling: Array(10).fill(0x11) }), scan(), EOI),
};

/** Images that pass the intake and are as expensive to decode as possible. */
export const EXPENSIVE: Images = {
  'PNG of 16384x8 pixels': () => blackPng({ width: 16_384, height: 8, colour: 'grey', depth: 1 }),
  'WebP of 100 megapixels in 28 bytes': () => webp(plainLossless(10_000, 10_000)),
  'animated WebP of 100 frames on 100 megapixels': () => animatedWebp(100, 10_000, 10_000),
  'JPEG of 100 megapixels in 100 scans': () =>
    greyProgressiveJpeg({ ...MEGAPIXELS_100, scans: 100, components: 3 }),
  'interlaced PNG of 100 megapixels, three channels of 16 bits': () =>
    blackPng({ ...MEGAPIXELS_100, colour: 'rgb', depth: 16, interlaced: true }),
  'interlaced PNG of 100 megapixels, four channels of 8 bits': () =>
    blackPng({ ...MEGAPIXELS_100, colour: 'rgba', depth: 8, interlaced: true }),
  'PNG of 100 megapixels, four channels of 16 bits': () =>
    blackPng({ ...MEGAPIXELS_100, colour: 'rgba', depth: 16 }),
  'PNG with 800 MB of text in 100 KB': () => blackPng({ ...SMALL, before: compressedTexts(100) }),
};

/** Images as customers send them; measures against the others must not slow these down. */
export const HONEST: Images = {
  'JPEG of 12 megapixels': () => texture(4000, 3000).jpeg({ quality: 90 }).toBuffer(),
  'progressive JPEG of 12 megapixels': () =>
    texture(4000, 3000).jpeg({ quality: 90, progressive: true }).toBuffer(),
  'JPEG of 1 megapixel': () => texture(1000, 1000).jpeg({ quality: 90 }).toBuffer(),
};

const compressedTexts = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    chunk('zTXt', Buffer.concat([Buffer.from(`key${index}\0\0`), zlibOfZeros(7_900_000)])),
  );

/** Gradients with grain, which compress about as well as photos. */
function texture(width: number, height: number) {
  const pixels = Buffer.alloc(width * height * 3);
  let random = 0x9e3779b9;
  for (let at = 0; at < pixels.length; at += 3) {
    random ^= random << 13;
    random ^= random >>> 17;
    random ^= random << 5;
    const [x, y] = [(at / 3) % width, Math.floor(at / 3 / width)];
    const light = 128 + 60 * Math.sin(x / 97) * Math.cos(y / 61) + 30 * Math.sin((x + y) / 431);
    const level = light + ((random >>> 8) % 25) - 12;
    pixels[at] = level + 20;
    pixels[at + 1] = level * 0.9 + 10;
    pixels[at + 2] = level * 0.8;
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}
