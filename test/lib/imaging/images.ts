import sharp, { type Sharp } from 'sharp';
import { EOI } from '../../../dev/bench/hostile/jpeg.ts';
import { ihdr, SIGNATURE } from '../../../dev/bench/hostile/png.ts';
import { riffChunk, webp } from '../../../dev/bench/hostile/webp.ts';

/** Four quarters of different colours, which show the orientation. */
export const QUARTERS = {
  topLeft: [220, 30, 30],
  topRight: [30, 200, 30],
  bottomLeft: [30, 30, 220],
  bottomRight: [230, 230, 230],
} as const;

export function quarters(width = 96, height = 64): Sharp {
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const row = y < height / 2 ? 'top' : 'bottom';
      pixels.set(QUARTERS[`${row}${x < width / 2 ? 'Left' : 'Right'}`], (y * width + x) * 3);
    }
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

/** Noise does not compress, so there are pixels to truncate. */
export const noise = (width = 160, height = 120): Sharp =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: '#808080',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  });

/** The colour at a position; `x` and `y` are shares of the sides, 0 to 1. */
export async function jpegColourAt(bytes: Buffer, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(bytes).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
  const at = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels;
  return [...data.subarray(at, at + info.channels)];
}

/** Repeats the last scan of a progressive JPEG, as known decoder bombs do. */
export function withScans(progressive: Buffer, times: number): Buffer {
  const from = progressive.lastIndexOf(Buffer.from([0xff, 0xda]));
  const last = progressive.subarray(from, -2);
  return Buffer.concat([progressive.subarray(0, from), ...Array<Buffer>(times).fill(last), EOI]);
}

/** A PNG that consists only of a header with this size. */
export const pngClaiming = (width: number, height: number): Buffer =>
  Buffer.concat([SIGNATURE, ihdr({ width, height, colour: 'rgb', depth: 8 })]);

/** A lossy WebP that consists only of a header with this size. */
export function lossyWebpClaiming(width: number, height: number): Buffer {
  const data = Buffer.alloc(10);
  data.writeUIntBE(0x9d012a, 3, 3);
  data.writeUInt16LE(width, 6);
  data.writeUInt16LE(height, 8);
  return webp(riffChunk('VP8 ', data));
}
