import sharp from 'sharp';
import { LIMITS } from '../../lib/contract/limits.ts';

/** A JPEG that already has the size of its result, so that rendering it costs little. */
export const quickImage = (): Promise<Buffer> =>
  sharp({ create: { width: 2048, height: 16, channels: 3, background: 'gray' } })
    .jpeg()
    .toBuffer();

/** A JPEG of noise, padded after its end to just under the size limit. */
export const largestImage = async (): Promise<Buffer> =>
  Buffer.alloc(LIMITS.imageBytes - 1, await noise(3000, 2000, 60).jpeg({ quality: 100 }).toBuffer());

/** A photo-like JPEG: a gradient with noise, which is not flat and compresses like a photo. */
export async function photoLikeJpeg(width: number, height: number): Promise<Buffer> {
  const gradient = `<svg width="${width}" height="${height}"><defs><linearGradient id="g" x2="1" y2="1">
    <stop stop-color="#d8cfc0"/><stop offset="1" stop-color="#5a6b7c"/></linearGradient></defs>
    <rect width="100%" height="100%" fill="url(#g)"/></svg>`;
  const grain = await noise(width, height, 20).png().toBuffer();
  return sharp(Buffer.from(gradient))
    .composite([{ input: grain, blend: 'soft-light' }])
    .jpeg()
    .toBuffer();
}

const noise = (width: number, height: number, sigma: number) =>
  sharp({
    create: { width, height, channels: 3, background: 'gray', noise: { type: 'gaussian', mean: 128, sigma } },
  });
