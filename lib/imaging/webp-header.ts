import { LIMITS } from '../contract/limits.ts';
import { isTurned } from './exif.ts';
import { fourCc, type HeaderReading, MAX_CHUNKS } from './header.ts';

const RIFF_HEAD = 12;
const CHUNK_HEAD = 8;
/**
 * Fields before the image in an ANMF chunk: position, size, duration, flags (RFC 9649, 2.7.1.1).
 */
const FRAME_HEAD = 16;
const [VP8, VP8L, VP8X, ANMF, ALPH, EXIF] = ['VP8 ', 'VP8L', 'VP8X', 'ANMF', 'ALPH', 'EXIF'].map(fourCc);

interface Image {
  width: number;
  height: number;
  lossless: boolean;
  alpha: boolean;
}

/**
 * RFC 9649: lossy (2.5), lossless (2.6) or extended (2.7), which is decoded at the size of its
 * canvas.
 */
export function readWebpHeader(bytes: Buffer): HeaderReading {
  if (bytes.length < RIFF_HEAD) return undefined;
  // Like libwebp, ignore bytes after the RIFF.
  const file = bytes.subarray(0, bytes.readUInt32LE(4) + 8);
  if (file.length < RIFF_HEAD + CHUNK_HEAD) return undefined;
  if (file.length >= 30 && file.readUInt32BE(RIFF_HEAD) === VP8X) return readExtended(file);
  const image = readHeaderOf(file, RIFF_HEAD);
  return image && headerOf({ ...image, turned: false, frames: 1 });
}

/** The decoder holds a lossless image at 32 bits per pixel, and the alpha of a lossy one at 8. */
function headerOf({
  lossless,
  alpha,
  ...header
}: Image & { turned: boolean; frames: number }): HeaderReading {
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
  const chunks = scanChunks(file);
  if (typeof chunks === 'string') return chunks;
  const { image, frames, turned } = chunks;
  if (image === undefined) return undefined;
  const { width, height, lossless } = image;
  const fits =
    frames > 0
      ? width <= canvas.width && height <= canvas.height
      : width === canvas.width && height === canvas.height;
  if (!fits) return 'The WebP holds an image of another size than its header says; save it again.';
  const alpha = image.alpha || ((file[20] ?? 0) & 0x10) !== 0;
  return headerOf({ ...canvas, lossless, alpha, turned, frames: Math.max(1, frames) });
}

interface Chunks {
  image: Image | undefined;
  frames: number;
  turned: boolean;
}

/** Finds the first image and counts frames, up to one over the limit; a still image has 0. */
function scanChunks(file: Buffer): string | Chunks {
  let image: Image | undefined;
  let turned = false;
  let frames = 0;
  let chunks = 0;
  for (let at = RIFF_HEAD; at + CHUNK_HEAD <= file.length; at = nextChunk(file, at)) {
    if (++chunks > MAX_CHUNKS) return `The WebP has more than ${MAX_CHUNKS} chunks; save it again.`;
    const type = file.readUInt32BE(at);
    if (type === EXIF) turned ||= isTurned(file.subarray(at + CHUNK_HEAD, nextChunk(file, at)));
    if (type !== ANMF) {
      image ??= readHeaderOf(file, at);
    } else {
      image ??= readFrame(file, at + CHUNK_HEAD + FRAME_HEAD);
      if (++frames > LIMITS.imageFrames) break;
    }
  }
  return { image, frames, turned };
}

/** In a frame, a chunk with the alpha may precede the image. */
function readFrame(file: Buffer, at: number): Image | undefined {
  if (at + CHUNK_HEAD > file.length || file.readUInt32BE(at) !== ALPH) return readHeaderOf(file, at);
  const image = readHeaderOf(file, nextChunk(file, at));
  return image && { ...image, alpha: true };
}

function readHeaderOf(file: Buffer, at: number): Image | undefined {
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

/** Chunks start at even offsets. */
function nextChunk(file: Buffer, at: number): number {
  const length = file.readUInt32LE(at + 4);
  return at + CHUNK_HEAD + length + (length % 2);
}
