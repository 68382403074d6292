import { isTurned } from './exif.ts';
import type { HeaderReading, ImageHeader } from './header.ts';

const APP1 = 0xe1;
const SOS = 0xda;
const EOI = 0xd9;
/** More than any camera writes; bounds the time to read a file of empty segments. */
const MAX_SEGMENTS = 10_000;
/** Far above what any encoder writes; an image of 883 scans keeps a decoder busy for 31 s. */
const MAX_SCANS = 100;
/**
 * FF bytes outside of segments. 20 MB of dense noise have 82,000; in a file of padding every byte
 * is one.
 */
const MAX_ESCAPES = 300_000;

/**
 * Scans the markers as libjpeg's next_marker does (ITU-T T.81, B.1.1): segments are skipped by
 * their length, which ignores embedded thumbnails; stuffed bytes and restart markers in entropy
 * data are skipped too.
 */
export function readJpegHeader(bytes: Buffer): HeaderReading {
  const escapes = { left: MAX_ESCAPES };
  let header: ImageHeader | undefined;
  let turned = false;
  let segments = 0;
  let scans = 0;
  for (let at = nextMarker(bytes, 2, escapes); at !== -1; at = nextMarker(bytes, at, escapes)) {
    const marker = bytes[at] ?? EOI;
    if (marker === EOI) break;
    if (++segments > MAX_SEGMENTS) return `The JPEG has more than ${MAX_SEGMENTS} segments; save it again.`;
    const segment = segmentAt(bytes, at + 1);
    if (segment === undefined) break;
    if (isStartOfFrame(marker)) {
      if (header !== undefined) return 'The JPEG has two headers; save it again.';
      const read = readFrame(marker, segment);
      if (typeof read !== 'object') return read;
      header = read;
    }
    if (marker === SOS) {
      if (++scans > MAX_SCANS)
        return `The JPEG has more than ${MAX_SCANS} scans; save it again as a plain JPEG.`;
      // A scan with only some of the components: no pixel is complete before the other scans.
      if (header !== undefined && (segment[2] ?? 0) < header.channels) header.interlaced = true;
    }
    if (marker === APP1) turned ||= isTurned(segment.subarray(2));
    at += 1 + segment.length;
  }
  if (escapes.left < 0) return 'The JPEG is padding for the most part; save it again.';
  if (header === undefined || scans === 0) return undefined;
  return { ...header, turned, heldBytes: header.interlaced ? header.heldBytes : 0 };
}

/**
 * Position of the next marker's code byte, past fill, stuffed and restart bytes; -1 where there is
 * none.
 */
function nextMarker(bytes: Buffer, from: number, escapes: { left: number }): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at)) {
    const code = bytes[at + 1];
    if (code === undefined || --escapes.left < 0) return -1;
    if (isMarkerCode(code)) return at + 1;
    at += code === 0xff ? 1 : 2;
  }
  return -1;
}

/** The segment from its length field, which includes itself; undefined when it is truncated. */
function segmentAt(bytes: Buffer, at: number): Buffer | undefined {
  const length = at + 2 <= bytes.length ? bytes.readUInt16BE(at) : 0;
  return length < 2 || at + length > bytes.length ? undefined : bytes.subarray(at, at + length);
}

/** `heldBytes` covers all coefficients; the caller sets it to 0 for an image in one scan. */
function readFrame(marker: number, segment: Buffer): HeaderReading {
  const components = segment[7] ?? 0;
  if (segment.length < 8 + 3 * components) return undefined;
  if (marker > 0xc2)
    return 'The JPEG is lossless, hierarchical or arithmetic-coded; save it as a plain JPEG.';
  if (segment[2] !== 8) return `The JPEG has ${segment[2]} bits a sample; save it with 8.`;
  if (components !== 1 && components !== 3 && components !== 4)
    return `The JPEG has ${components} colour channels; save it as RGB.`;
  const size = { width: segment.readUInt16BE(5), height: segment.readUInt16BE(3) };
  const heldBytes = coefficientBytes(size, samplingOf(segment, components));
  if (heldBytes === undefined) return undefined;
  return {
    ...size,
    channels: components,
    bitDepth: 8,
    interlaced: marker === 0xc2,
    turned: false,
    frames: 1,
    heldBytes,
  };
}

interface Sampling {
  across: number;
  down: number;
}

/** Sampling factors, a nibble each, 1 to 4 (B.2.2). */
function samplingOf(segment: Buffer, components: number): Sampling[] {
  return Array.from({ length: components }, (_, index) => {
    const factors = segment[9 + 3 * index] ?? 0;
    return { across: factors >> 4, down: factors & 15 };
  });
}

/**
 * Two bytes for each of the 64 coefficients of a block; at the largest sampling a block spans 8
 * pixels (A.1.1).
 */
function coefficientBytes(size: { width: number; height: number }, sampling: readonly Sampling[]) {
  const max = (axis: keyof Sampling) => Math.max(...sampling.map((factors) => factors[axis]));
  const [across, down] = [max('across'), max('down')];
  if (sampling.some((factors) => factors.across < 1 || factors.down < 1) || across > 4 || down > 4)
    return undefined;
  const units = Math.ceil(size.width / (8 * across)) * Math.ceil(size.height / (8 * down));
  return sampling.reduce((sum, factors) => sum + units * factors.across * factors.down * 128, 0);
}

/**
 * Excludes stuffing (00), fill (FF), TEM (01) and the restart markers, none of which has a length.
 */
const isMarkerCode = (code: number) => code > 0x01 && code !== 0xff && (code < 0xd0 || code > 0xd7);

/** C0 to CF, without DHT, the reserved JPG and DAC. */
const isStartOfFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
