import { isTurned } from './exif.ts';
import { fourCc, type HeaderReading, type ImageHeader, MAX_CHUNKS } from './header.ts';

const SIGNATURE_LENGTH = 8;
/** Length, type and checksum around the data of a chunk (PNG, 5.3). */
const FRAMING = 12;
const IHDR_LENGTH = 13;
const [IHDR, IEND, TRNS, ACTL, FCTL, EXIF] = ['IHDR', 'IEND', 'tRNS', 'acTL', 'fcTL', 'eXIf'].map(fourCc);

/** Samples per decoded pixel by colour type (PNG, 11.2.1). */
const CHANNELS: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [2, 3],
  [3, 3],
  [4, 2],
  [6, 4],
]);

/** Reads IHDR, then scans all chunks for transparency, EXIF and the frames of an animation. */
export function readPngHeader(bytes: Buffer): HeaderReading {
  const header = readIhdr(bytes);
  if (header === undefined) return undefined;
  let transparent = false;
  let controls = 0;
  let chunks = 0;
  for (let at = SIGNATURE_LENGTH + FRAMING + IHDR_LENGTH; at + FRAMING <= bytes.length; ) {
    if (++chunks > MAX_CHUNKS) return `The PNG has more than ${MAX_CHUNKS} chunks; save it again.`;
    const type = bytes.readUInt32BE(at + 4);
    if (type === IEND) break;
    if (type === IHDR) return 'The PNG has two headers; save it again.';
    if (type === TRNS) transparent = true;
    if (type === ACTL) header.frames = Math.max(header.frames, animationFrames(bytes, at));
    if (type === FCTL) controls += 1;
    const length = bytes.readUInt32BE(at);
    if (type === EXIF) header.turned ||= isTurned(bytes.subarray(at + 8, at + 8 + length));
    at += FRAMING + length;
  }
  header.frames = Math.max(header.frames, controls);
  if (transparent) header.channels += 1;
  if (header.interlaced)
    header.heldBytes = (header.width * header.height * header.channels * header.bitDepth) / 8;
  return header;
}

/** IHDR must come first (PNG, 5.6). */
function readIhdr(bytes: Buffer): ImageHeader | undefined {
  if (bytes.length < SIGNATURE_LENGTH + FRAMING + IHDR_LENGTH) return undefined;
  if (bytes.readUInt32BE(8) !== IHDR_LENGTH || bytes.readUInt32BE(12) !== IHDR) return undefined;
  const channels = CHANNELS.get(bytes.readUInt8(25));
  if (channels === undefined) return undefined;
  return {
    width: bytes.readUInt32BE(16),
    height: bytes.readUInt32BE(20),
    channels,
    bitDepth: bytes.readUInt8(24) === 16 ? 16 : 8,
    interlaced: bytes.readUInt8(28) !== 0,
    turned: false,
    frames: 1,
    heldBytes: 0,
  };
}

/** num_frames, the first field of acTL (PNG, 11.3.6.1). */
const animationFrames = (bytes: Buffer, chunk: number) =>
  chunk + FRAMING <= bytes.length ? bytes.readUInt32BE(chunk + 8) : 1;
