import { repeated } from './png.ts';

/** A RIFF chunk, padded to an even length. */
export function riffChunk(fourCc: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.alloc(8 + data.length + (data.length % 2));
  bytes.write(fourCc, 0, 'latin1');
  bytes.writeUInt32LE(data.length, 4);
  data.copy(bytes, 8);
  return bytes;
}

export function webp(...chunks: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(12);
  const length = chunks.reduce((sum, { length }) => sum + length, 4);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(length, 4);
  head.write('WEBP', 8, 'latin1');
  return Buffer.concat([head, ...chunks]);
}

/**
 * A valid lossless image of one colour in 8 bytes, regardless of its size: each of the five prefix
 * codes has a single symbol, so the pixels take no bits (RFC 9649, 3.7.2.1).
 */
export function plainLossless(width: number, height: number): Buffer {
  const data = Buffer.alloc(8);
  data[0] = 0x2f;
  data.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 1);
  // From the lowest bit up: three flags of 0, then five times 1000.
  data.writeUIntLE(0b1000_1000_1000_1000_1000, 5, 3);
  return riffChunk('VP8L', data);
}

export const VP8X_FLAGS = { icc: 0x20, alpha: 0x10, exif: 0x08, animation: 0x02 } as const;

/** The header of an extended image (RFC 9649, 2.7). */
export function canvas(width: number, height: number, flags: number): Buffer {
  const data = Buffer.alloc(10);
  data[0] = flags;
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return riffChunk('VP8X', data);
}

/** A frame in the top left corner of the canvas. */
function animationFrame(width: number, height: number, image: Buffer): Buffer {
  const head = Buffer.alloc(16);
  head.writeUIntLE(width - 1, 6, 3);
  head.writeUIntLE(height - 1, 9, 3);
  head.writeUIntLE(100, 12, 3);
  return riffChunk('ANMF', Buffer.concat([head, image]));
}

/** An animation of identical one-pixel frames, 40 bytes each. */
export function animatedWebp(frames: number, width = 1, height = 1): Buffer {
  return webp(
    canvas(width, height, VP8X_FLAGS.animation),
    riffChunk('ANIM', Buffer.alloc(6)),
    repeated(animationFrame(1, 1, plainLossless(1, 1)), frames),
  );
}
