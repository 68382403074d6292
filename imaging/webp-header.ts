import { LIMITS } from '../contract/limits.ts';
import { isTurned } from './exif.ts';
import { CHUNKS_AT_MOST, fourCc, type HeaderReading } from './header.ts';

const RIFF_HEAD = 12;
const CHUNK_HEAD = 8;
/** What comes ahead of the picture in an ANMF chunk: place, size, duration, flags (RFC 9649, 2.7.1.1). */
const FRAME_HEAD = 16;
const [VP8, VP8L, VP8X, ANMF, ALPH, EXIF] = ['VP8 ', 'VP8L', 'VP8X', 'ANMF', 'ALPH', 'EXIF'].map(fourCc);

interface Picture {
  width: number;
  height: number;
  lossless: boolean;
  alpha: boolean;
}

/** RFC 9649: lossy (2.5), lossless (2.6) or extended (2.7), whose canvas is what gets decoded. */
export function readWebpHeader(bytes: Buffer): HeaderReading {
  if (bytes.length < RIFF_HEAD) return undefined;
  // To libwebp as well, whatever hangs behind the RIFF is no part of the picture.
  const file = bytes.subarray(0, bytes.readUInt32LE(4) + 8);
  if (file.length < RIFF_HEAD + CHUNK_HEAD) return undefined;
  if (file.length >= 30 && file.readUInt32BE(RIFF_HEAD) === VP8X) return readExtended(file);
  const picture = readPicture(file, RIFF_HEAD);
  return picture && headerOf({ ...picture, turned: false, frames: 1 });
}

/** The decoder of a lossless picture holds all of it in 32 bits a pixel, that of a lossy one its alpha in 8. */
function headerOf({
  lossless,
  alpha,
  ...header
}: Picture & { turned: boolean; frames: number }): HeaderReading {
  const { width, height } = header;
  return {
    ...header,
    channels: alpha ? 4 : 3,
    bitDepth: 8,
    interlaced: false,
    heldBytes: width * height * (lossless ? 4 : Number(alpha)),
  };
}

function readExtended(file: Buffer): HeaderReading {
  const canvas = { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 };
  const walked = walkChunks(file);
  if (typeof walked === 'string') return walked;
  const { picture, frames, turned } = walked;
  if (picture === undefined) return undefined;
  const { width, height, lossless } = picture;
  const fits =
    frames > 0
      ? width <= canvas.width && height <= canvas.height
      : width === canvas.width && height === canvas.height;
  if (!fits) return 'The WebP holds a picture of another size than its header says; save it again.';
  const alpha = picture.alpha || ((file[20] ?? 0) & 0x10) !== 0;
  return headerOf({ ...canvas, lossless, alpha, turned, frames: Math.max(1, frames) });
}

interface Chunks {
  picture: Picture | undefined;
  frames: number;
  turned: boolean;
}

/** The first picture, and the number of frames up to one too many, which is 0 in a file that does not move. */
function walkChunks(file: Buffer): string | Chunks {
  let picture: Picture | undefined;
  let turned = false;
  let frames = 0;
  let chunks = 0;
  for (let at = RIFF_HEAD; at + CHUNK_HEAD <= file.length; at = nextChunk(file, at)) {
    if (++chunks > CHUNKS_AT_MOST) return `The WebP has more than ${CHUNKS_AT_MOST} chunks; save it again.`;
    const type = file.readUInt32BE(at);
    if (type === EXIF) turned ||= isTurned(file.subarray(at + CHUNK_HEAD, nextChunk(file, at)));
    if (type !== ANMF) {
      picture ??= readPicture(file, at);
    } else {
      picture ??= readFrame(file, at + CHUNK_HEAD + FRAME_HEAD);
      if (++frames > LIMITS.imageFrames) break;
    }
  }
  return { picture, frames, turned };
}

/** A frame may have its alpha in a chunk of its own ahead of the picture. */
function readFrame(file: Buffer, at: number): Picture | undefined {
  if (at + CHUNK_HEAD > file.length || file.readUInt32BE(at) !== ALPH) return readPicture(file, at);
  const picture = readPicture(file, nextChunk(file, at));
  return picture && { ...picture, alpha: true };
}

function readPicture(file: Buffer, at: number): Picture | undefined {
  const data = at + CHUNK_HEAD;
  if (data + 5 > file.length) return undefined;
  const type = file.readUInt32BE(at);
  if (type === VP8 && data + 10 <= file.length && file.readUIntBE(data + 3, 3) === 0x9d012a) {
    const [width, height] = [file.readUInt16LE(data + 6) & 0x3fff, file.readUInt16LE(data + 8) & 0x3fff];
    return { width, height, lossless: false, alpha: false };
  }
  if (type === VP8L && file[data] === 0x2f) {
    const bits = file.readUInt32LE(data + 1);
    const [width, height] = [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    return { width, height, lossless: true, alpha: (bits & 0x10000000) !== 0 };
  }
  return undefined;
}

/** Chunks begin at even places. */
function nextChunk(file: Buffer, at: number): number {
  const length = file.readUInt32LE(at + 4);
  return at + CHUNK_HEAD + length + (length % 2);
}
