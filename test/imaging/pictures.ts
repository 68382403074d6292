import sharp, { type Sharp } from 'sharp';

/** Four quarters of different colours, so that a picture shows which way up it is. */
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

/** Noise does not compress, so there is a body to cut off. */
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

/** The colour at a place given in shares of the sides. */
export async function colourAt(bytes: Buffer, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(bytes).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
  const at = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels;
  return [...data.subarray(at, at + info.channels)];
}

export function segment(marker: number, payload: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(payload.length + 2, 2);
  return Buffer.concat([head, payload]);
}

const SOI = Buffer.from([0xff, 0xd8]);
export const EOI = Buffer.from([0xff, 0xd9]);

export function frame(width: number, height: number, marker = 0xc0): Buffer {
  const payload = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  payload.writeUInt16BE(height, 1);
  payload.writeUInt16BE(width, 3);
  return segment(marker, payload);
}

export const scan = (entropy: readonly number[] = [0x12, 0xff, 0x00, 0x34]): Buffer =>
  Buffer.concat([segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])), Buffer.from(entropy)]);

/** Segments put together by hand; only the headers make sense. */
export const jpeg = (...parts: readonly Buffer[]): Buffer => Buffer.concat([SOI, ...parts]);

/** Repeats the last scan of a real progressive JPEG, as the known decoder bombs do. */
export function withScans(progressive: Buffer, times: number): Buffer {
  const from = progressive.lastIndexOf(Buffer.from([0xff, 0xda]));
  const last = progressive.subarray(from, -2);
  return Buffer.concat([progressive.subarray(0, from), ...Array<Buffer>(times).fill(last), EOI]);
}

/** A PNG that is nothing but the claim of a size. */
export function pngClaiming(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(33);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  bytes.writeUInt32BE(13, 8);
  bytes.write('IHDR', 12, 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  bytes.set([8, 2, 0, 0, 0], 24);
  return bytes;
}

export function webpClaiming(kind: 'VP8 ' | 'VP8L' | 'VP8X', width: number, height: number): Buffer {
  const bytes = Buffer.alloc(30);
  bytes.write('RIFF', 0, 'latin1');
  bytes.write(`WEBP${kind}`, 8, 'latin1');
  if (kind === 'VP8X') {
    bytes.writeUIntLE(width - 1, 24, 3);
    bytes.writeUIntLE(height - 1, 27, 3);
  } else if (kind === 'VP8L') {
    bytes[20] = 0x2f;
    bytes.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 21);
  } else {
    bytes.writeUIntBE(0x9d012a, 23, 3);
    bytes.writeUInt16LE(width, 26);
    bytes.writeUInt16LE(height, 28);
  }
  return bytes;
}
