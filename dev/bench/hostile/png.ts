import { constants, crc32, deflateRawSync } from 'node:zlib';

export const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Channels by colour type (PNG, 11.2.1); a palette is one channel of indices. */
const CHANNELS = { grey: 1, rgb: 3, palette: 1, rgba: 4 } as const;
const COLOUR_TYPES = { grey: 0, rgb: 2, palette: 3, rgba: 6 } as const;

interface PngShape {
  width: number;
  height: number;
  colour: keyof typeof COLOUR_TYPES;
  depth: 1 | 8 | 16;
  interlaced?: boolean;
  /** Chunks between IHDR and the pixels. */
  before?: readonly Buffer[];
}

export const repeated = (bytes: Buffer, times: number): Buffer => Buffer.alloc(bytes.length * times, bytes);

export function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}

export const png = (...chunks: readonly Buffer[]): Buffer =>
  Buffer.concat([SIGNATURE, ...chunks, chunk('IEND')]);

export function ihdr({ width, height, colour, depth, interlaced = false }: PngShape): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([depth, COLOUR_TYPES[colour], 0, 0, interlaced ? 1 : 0], 8);
  return chunk('IHDR', data);
}

/** A valid image in which every sample is 0, so that its pixels compress to a thousandth. */
export function blackPng(shape: PngShape): Buffer {
  const palette = shape.colour === 'palette' ? [chunk('PLTE', Buffer.alloc(6, 0x40))] : [];
  const pixels = chunk('IDAT', zlibOfZeros(scanlineBytes(shape)));
  return png(ihdr(shape), ...palette, ...(shape.before ?? []), pixels);
}

/** Start and step of the seven passes of Adam7, x then y (PNG, 8.2). */
const ADAM7 = [
  [0, 8, 0, 8],
  [4, 8, 0, 8],
  [0, 4, 4, 8],
  [2, 4, 0, 4],
  [0, 2, 2, 4],
  [1, 2, 0, 2],
  [0, 1, 1, 2],
] as const;

function scanlineBytes(shape: PngShape): number {
  const bits = CHANNELS[shape.colour] * shape.depth;
  const passes = shape.interlaced ? ADAM7 : ([[0, 1, 0, 1]] as const);
  return passes.reduce((sum, [left, across, top, down]) => {
    const width = Math.ceil((shape.width - left) / across);
    const rows = Math.ceil((shape.height - top) / down);
    return width < 1 || rows < 1 ? sum : sum + rows * (1 + Math.ceil((width * bits) / 8));
  }, 0);
}

const BLOCK = 1 << 20;

/**
 * Compresses any number of zero bytes without allocating them: a block that is byte-aligned and has
 * no references to earlier data can be repeated. Adler-32 of n zeros is n in the upper and 1 in the
 * lower half (RFC 1950).
 */
export function zlibOfZeros(length: number): Buffer {
  const flushed = { level: 9, finishFlush: constants.Z_FULL_FLUSH };
  const block = deflateRawSync(Buffer.alloc(BLOCK), flushed);
  const last = deflateRawSync(Buffer.alloc(length % BLOCK), { level: 9 });
  const adler = Buffer.alloc(4);
  adler.writeUInt16BE(length % 65_521, 0);
  adler.writeUInt16BE(1, 2);
  const blocks = repeated(block, Math.floor(length / BLOCK));
  return Buffer.concat([Buffer.from([0x78, 0xda]), blocks, last, adler]);
}
