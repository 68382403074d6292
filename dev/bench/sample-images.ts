import sharp from 'sharp';
import { LIMITS } from '../../lib/contract/limits.ts';

/** A JPEG of noise, padded after its end to just under the size limit. */
export async function largestImage(): Promise<Buffer> {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 60 };
  const jpeg = await sharp({ create: { width: 3000, height: 2000, channels: 3, background: 'gray', noise } })
    .jpeg({ quality: 100 })
    .toBuffer();
  return Buffer.alloc(LIMITS.imageBytes - 1, jpeg);
}

/** A JPEG that already has the size of its result, so that rendering it costs little. */
export function quickImage(): Promise<Buffer> {
  return sharp({ create: { width: 2048, height: 16, channels: 3, background: 'gray' } })
    .jpeg()
    .toBuffer();
}

/** Body of a POST /v1/jobs with the image. */
export function jobBody(image: Buffer): Buffer {
  return Buffer.from(
    JSON.stringify({ tool: 'declutter', image_base64: image.toString('base64'), options: {} }),
  );
}

/** A photo-like JPEG: a gradient with noise, which neither compresses to nothing nor counts as flat. */
export async function photo(width: number, height: number): Promise<Buffer> {
  const gradient = `<svg width="${width}" height="${height}"><defs><linearGradient id="g" x2="1" y2="1">
    <stop stop-color="#d8cfc0"/><stop offset="1" stop-color="#5a6b7c"/></linearGradient></defs>
    <rect width="100%" height="100%" fill="url(#g)"/></svg>`;
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 20 };
  const grain = await sharp({ create: { width, height, channels: 3, background: 'gray', noise } })
    .png()
    .toBuffer();
  return sharp(Buffer.from(gradient))
    .composite([{ input: grain, blend: 'soft-light' }])
    .jpeg()
    .toBuffer();
}
