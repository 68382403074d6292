import sharp from 'sharp';
import { LIMITS } from '../contract/limits.ts';

/** A JPEG of noise, repeated behind its end up to just under the limit. */
export async function largestPicture(): Promise<Buffer> {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 60 };
  const jpeg = await sharp({ create: { width: 3000, height: 2000, channels: 3, background: 'gray', noise } })
    .jpeg({ quality: 100 })
    .toBuffer();
  return Buffer.alloc(LIMITS.imageBytes - 1, jpeg);
}

/** A JPEG that has the size of its result already and is hardly any work to render. */
export function quickPicture(): Promise<Buffer> {
  return sharp({ create: { width: 2048, height: 16, channels: 3, background: 'gray' } })
    .jpeg()
    .toBuffer();
}

/** The body of a POST that sends the picture. */
export function jobBody(picture: Buffer): Buffer {
  return Buffer.from(
    JSON.stringify({ tool: 'declutter', image_base64: picture.toString('base64'), options: {} }),
  );
}
