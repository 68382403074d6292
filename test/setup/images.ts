import sharp from 'sharp';

/** A small JPEG. */
export function sampleJpeg(width = 64, height = 48, background = '#78a05a'): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background } })
    .jpeg()
    .toBuffer();
}

/** A small JPEG in base64, as `image_base64` takes it. */
export async function sampleImage(width?: number, height?: number): Promise<string> {
  return (await sampleJpeg(width, height)).toString('base64');
}
