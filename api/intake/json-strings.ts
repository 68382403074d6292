import { createHash } from 'node:crypto';

// For large fields that the API ignores. If 28 MB in one field were kept and parsed like other
// strings, that would take 480 ms instead of 24 (`npm run bench intake`) and 190 MB of memory, and
// block the event loop for 210 ms instead of 1.

/**
 * Longer than any string the API uses. A longer one is in an ignored field, or rejected for its
 * length.
 */
export const LONG_STRING = 32 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Bytes of the longest escape, `\uXXXX`. */
const ESCAPE = 6;

export interface LongString {
  /**
   * Continues at `start`.
   * @returns the index of the closing quote, or undefined if it is not in this chunk
   */
  read(chunk: Buffer, start: number): number | undefined;
  /** SHA-256 of what was read, in hex. */
  digest(): string;
}

/**
 * The tail of a long string in a JSON body. It is hashed, escapes included, and not kept, to bound
 * memory.
 */
export function createLongString(): LongString {
  const hash = createHash('sha256');
  let escaped = false;
  return {
    read(chunk, start) {
      const at = closingQuote(chunk, escaped ? start + 1 : start);
      hash.update(chunk.subarray(start, Math.min(at, chunk.length)));
      escaped = at > chunk.length;
      return at < chunk.length ? at : undefined;
    },
    digest: () => hash.digest('hex'),
  };
}

/**
 * @returns the index of the quote, the chunk's length if there is none, or one more if the chunk
 * ends in an escape
 */
function closingQuote(chunk: Buffer, start: number): number {
  const quote = chunk.indexOf(QUOTE, start);
  const end = quote < 0 ? chunk.length : quote;
  if (!chunk.subarray(start, end).includes(BACKSLASH)) return Math.max(start, end);
  let at = start;
  // Byte by byte, because one indexOf per escape is many times slower with millions of escapes.
  for (; at < chunk.length && chunk[at] !== QUOTE; at += 1) if (chunk[at] === BACKSLASH) at += 1;
  return at;
}

/**
 * Whether a string can be truncated before `byte`: only after a whole, unescaped character, so that
 * no surrogate pair is split.
 * @param plain bytes since the last backslash
 */
export function canCut(plain: number, byte: number): boolean {
  const continues = byte >= 0x80 && byte < 0xc0;
  return plain >= ESCAPE && byte !== BACKSLASH && byte !== QUOTE && !continues;
}

const SLASH = 0x2f;
const LETTER_U = 0x75;
/** Replaces every escape that is not base64; the decoder rejects it. */
const NOT_BASE64 = 0;
const OTHER_ESCAPES = new Set(Buffer.from('"\\bfnrt'));

export interface StringBody {
  /**
   * Continues at `start`.
   * @returns the index after the closing quote, or undefined if it is not in this chunk
   */
  read(chunk: Buffer, start: number): number | undefined;
  /** True once an escape was read that is not valid JSON. */
  readonly illegal: boolean;
}

type Sink = (chunk: Buffer, start: number, end: number) => void;

/**
 * Reads the inside of one JSON string whose value should be ASCII. The unescaped characters are
 * passed to `sink`, one call per chunk. (PHP escapes every slash as `\/`.)
 */
export function createStringBody(sink: Sink): StringBody {
  let scratch = Buffer.alloc(0);
  let escaped = false;
  let hexLeft = 0;
  let code = 0;
  let illegal = false;

  /** @returns the unescaped character, or undefined while the escape is incomplete */
  function readEscape(byte: number): number | undefined {
    if (hexLeft === 0) {
      if (byte === LETTER_U) {
        hexLeft = 4;
        code = 0;
        return undefined;
      }
      if (byte !== SLASH && !OTHER_ESCAPES.has(byte)) illegal = true;
      escaped = false;
      return byte === SLASH ? SLASH : NOT_BASE64;
    }
    const digit = hexDigit(byte);
    if (digit < 0) illegal = true;
    code = code * 16 + digit;
    hexLeft -= 1;
    escaped = hexLeft > 0;
    if (escaped) return undefined;
    return code < 0x80 ? code : NOT_BASE64;
  }

  /** For chunks with a backslash: unescapes byte by byte into the scratch buffer. */
  function readEscaped(chunk: Buffer, start: number): number | undefined {
    if (scratch.length < chunk.length) scratch = Buffer.allocUnsafeSlow(chunk.length);
    let filled = 0;
    let at = start;
    while (at < chunk.length) {
      if (escaped) {
        const character = readEscape(chunk[at++] ?? 0);
        if (character !== undefined) scratch[filled++] = character;
        continue;
      }
      const from = at;
      at = copyPlain(chunk, at, scratch, filled);
      filled += at - from;
      if (chunk[at] === QUOTE) break;
      escaped = at < chunk.length;
      at += 1;
    }
    sink(scratch, 0, filled);
    return at < chunk.length ? at + 1 : undefined;
  }

  return {
    read(chunk, start) {
      const quote = chunk.indexOf(QUOTE, start);
      const end = quote < 0 ? chunk.length : quote;
      if (escaped || chunk.subarray(start, end).includes(BACKSLASH)) return readEscaped(chunk, start);
      sink(chunk, start, end);
      return quote < 0 ? undefined : quote + 1;
    },
    get illegal() {
      return illegal;
    },
  };
}

/** @returns -1 for a byte that is not a hex digit */
function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : -1;
}

/** Copies up to the next quote or backslash. @returns its index, or the chunk's length */
function copyPlain(chunk: Buffer, start: number, target: Buffer, offset: number): number {
  let at = start;
  for (let to = offset; at < chunk.length; at++) {
    const byte = chunk[at] ?? 0;
    if (byte === QUOTE || byte === BACKSLASH) break;
    target[to++] = byte;
  }
  return at;
}
