import { LIMITS } from '../contract/limits.ts';
import { readJpegHeader } from './jpeg-header.ts';
import { type ImageFormat, nameForeignFormat, sniffFormat } from './sniff.ts';

/** Sizes as stored, before any EXIF orientation is applied. `reason` is a sentence for the caller. */
export type Inspection =
  | { ok: true; format: ImageFormat; width: number; height: number }
  | { ok: false; reason: string };

/** A hundred is far above what an encoder writes; 883 scans of one picture keep a decoder busy for 31 s. */
const JPEG_SCANS = 100;

interface Header {
  width: number;
  height: number;
  scans?: number;
}

/**
 * Reads headers only: no pixel is decoded, nothing is allocated by what the file claims, and it never throws.
 * Of an animated WebP or PNG the first frame will be used, so these pass. Cut-off pixels pass as well: the
 * strict decode of the worker finds them.
 */
export function inspectImage(bytes: Buffer): Inspection {
  const format = sniffFormat(bytes);
  if (format === undefined) return refuse(foreignReason(bytes));
  const header = READERS[format](bytes);
  if (header === undefined) return refuse(`The ${NAMES[format]} is damaged: its header is not complete.`);
  const { width, height, scans = 1 } = header;
  if (width < 1 || height < 1)
    return refuse(`The ${NAMES[format]} has no pixels: its size is ${width}x${height}.`);
  if (width * height > LIMITS.imagePixels) {
    return refuse(
      `The image has ${width}x${height} pixels; at most ${LIMITS.imagePixels / 1e6} megapixels are allowed.`,
    );
  }
  if (scans > JPEG_SCANS)
    return refuse(`The JPEG has more than ${JPEG_SCANS} scans; save it again as a plain JPEG.`);
  return { ok: true, format, width, height };
}

const refuse = (reason: string): Inspection => ({ ok: false, reason });

function foreignReason(bytes: Buffer): string {
  const name = nameForeignFormat(bytes);
  return `The image must be a JPEG, PNG or WebP${name ? `; this looks like ${name}` : ''}.`;
}

const NAMES = { jpeg: 'JPEG', png: 'PNG', webp: 'WebP' } satisfies Record<ImageFormat, string>;

const READERS = {
  jpeg: (bytes) => readJpegHeader(bytes, JPEG_SCANS),
  png: readPngHeader,
  webp: readWebpHeader,
} satisfies Record<ImageFormat, (bytes: Buffer) => Header | undefined>;

/** IHDR must come first (PNG, 5.6); 33 bytes hold the signature and all of IHDR. */
function readPngHeader(bytes: Buffer): Header | undefined {
  if (bytes.length < 33 || bytes.readUInt32BE(8) !== 13 || bytes.toString('latin1', 12, 16) !== 'IHDR')
    return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** RFC 9649: lossy (2.5), lossless (2.6) or extended (2.7), whose canvas is what gets decoded. */
function readWebpHeader(bytes: Buffer): Header | undefined {
  if (bytes.length < 30) return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      if (bytes.readUIntBE(23, 3) !== 0x9d012a) return undefined;
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      if (bytes[20] !== 0x2f) return undefined;
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}
