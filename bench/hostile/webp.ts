import { repeat } from './repeat.ts';

/** A chunk of RIFF, padded to an even length. */
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
 * A whole lossless picture of one colour in 8 bytes, whatever its size: five prefix codes of a single symbol each,
 * so that the pixels themselves take no bits (RFC 9649, 3.7.2.1).
 */
export function plainLossless(width: number, height: number): Buffer {
  const data = Buffer.alloc(8);
  data[0] = 0x2f;
  data.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 1);
  // Three flags of 0, then 1000 five times, from the lowest bit up.
  data.writeUIntLE(0b1000_1000_1000_1000_1000, 5, 3);
  return riffChunk('VP8L', data);
}

export const VP8X_FLAGS = { icc: 0x20, alpha: 0x10, exif: 0x08, animation: 0x02 } as const;

/** The header of an extended picture (RFC 9649, 2.7). */
export function canvas(width: number, height: number, flags: number): Buffer {
  const data = Buffer.alloc(10);
  data[0] = flags;
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return riffChunk('VP8X', data);
}

/** A frame at the canvas's corner. */
export function animationFrame(width: number, height: number, picture: Buffer): Buffer {
  const head = Buffer.alloc(16);
  head.writeUIntLE(width - 1, 6, 3);
  head.writeUIntLE(height - 1, 9, 3);
  head.writeUIntLE(100, 12, 3);
  return riffChunk('ANMF', Buffer.concat([head, picture]));
}

/** An animation of equal frames of one pixel, 40 bytes each. */
export function animatedWebp(frames: number, width = 1, height = 1): Buffer {
  return webp(
    canvas(width, height, VP8X_FLAGS.animation),
    riffChunk('ANIM', Buffer.alloc(6)),
    repeat(animationFrame(1, 1, plainLossless(1, 1)), frames),
  );
}
