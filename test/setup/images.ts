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

/** {@link sampleImage} with comments (segments of 64 KB) that make it about as large as given, in bytes. */
export async function largeImage(bytes: number): Promise<string> {
  const jpeg = await sampleJpeg();
  const comment = Buffer.alloc(0xffff + 2, 'x');
  comment.set([0xff, 0xfe, 0xff, 0xff]);
  const comments = Array.from({ length: Math.ceil(bytes / comment.length) }, () => comment);
  return Buffer.concat([jpeg.subarray(0, 2), ...comments, jpeg.subarray(2)]).toString('base64');
}
