const SOI = Buffer.from([0xff, 0xd8]);
export const EOI = Buffer.from([0xff, 0xd9]);

/** A JPEG of the given segments. */
export const jpeg = (...parts: readonly Buffer[]): Buffer => Buffer.concat([SOI, ...parts]);

export function segment(marker: number, payload: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(payload.length + 2, 2);
  return Buffer.concat([head, payload]);
}

interface FrameOptions {
  marker?: number;
  precision?: number;
  /** Horizontal and vertical sampling of each component, a nibble each. */
  sampling?: readonly number[];
}

/** Start of frame: C0 is baseline, C2 progressive. */
export function frame(width: number, height: number, options: FrameOptions = {}): Buffer {
  const { marker = 0xc0, precision = 8, sampling = [0x11] } = options;
  const head = Buffer.from([precision, 0, 0, 0, 0, sampling.length]);
  head.writeUInt16BE(height, 1);
  head.writeUInt16BE(width, 3);
  const components = sampling.flatMap((factors, index) => [index + 1, factors, 0]);
  return segment(marker, Buffer.concat([head, Buffer.from(components)]));
}

interface ScanOptions {
  /** Numbers of its components, from 1. */
  components?: readonly number[];
  /** First and last coefficient. */
  band?: readonly [number, number];
  entropy?: Buffer;
}

export function scan(options: ScanOptions = {}): Buffer {
  const { components = [1], band = [0, 63], entropy = Buffer.from([0x12, 0xff, 0x00, 0x34]) } = options;
  const selectors = components.flatMap((component) => [component, 0x00]);
  return Buffer.concat([segment(0xda, Buffer.from([components.length, ...selectors, ...band, 0])), entropy]);
}

/** A table with a single one-bit code, 0, for the symbol. */
const huffmanTable = (kind: 0 | 1, symbol: number) =>
  segment(0xc4, Buffer.from([kind << 4, 1, ...Array<number>(15).fill(0), symbol]));

const FLAT_QUANTISATION = segment(0xdb, Buffer.from([0, ...Array<number>(64).fill(1)]));
/** Ends 16,384 blocks at once, given 14 more bits of zero (T.81, G.1.2.2). */
const END_OF_14_BITS_OF_BLOCKS = 0xe0;

interface GreyJpegShape {
  width: number;
  height: number;
  scans: number;
  components?: number;
}

/**
 * A valid progressive JPEG in mid-grey with any number of scans. The first scan has one bit per
 * block; each of the others is about 200 bytes, regardless of the size, and makes the decoder visit
 * every block.
 */
export function greyProgressiveJpeg({ width, height, scans, components = 1 }: GreyJpegShape): Buffer {
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  const all = Array.from({ length: components }, (_, index) => index + 1);
  const first = scan({
    components: all,
    band: [0, 0],
    entropy: Buffer.alloc(Math.ceil((blocks * components) / 8)),
  });
  const ends = Buffer.alloc(Math.ceil((Math.ceil(blocks / 16_384) * 15) / 8));
  const further = Array.from({ length: scans - 1 }, (_, index) =>
    scan({ components: [all[index % components] ?? 1], band: [1, 63], entropy: ends }),
  );
  return jpeg(
    FLAT_QUANTISATION,
    frame(width, height, { marker: 0xc2, sampling: all.map(() => 0x11) }),
    huffmanTable(0, 0),
    huffmanTable(1, END_OF_14_BITS_OF_BLOCKS),
    first,
    ...further,
    EOI,
  );
}
