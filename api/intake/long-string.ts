import { createHash } from 'node:crypto';

// For large fields that the API ignores. Kept and parsed like other strings, 28 MB in one take 20 times as long (480 ms
// instead of 24, `npm run bench intake`) and 190 MB of memory, and block the event loop for 210 ms instead of 1.

/** Longer than any string the API uses. A longer one is in an ignored field, or rejected for its length. */
export const LONG_STRING = 32 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Bytes of the longest escape, `\uXXXX`. */
const ESCAPE = 6;

export interface LongString {
  /** Continues at `start`. @returns the index of the closing quote, or undefined if it is not in this chunk */
  read(chunk: Buffer, start: number): number | undefined;
  /** SHA-256 of what was read, in hex. */
  digest(): string;
}

/** The tail of a long string in a JSON body. It is hashed, escapes included, and not kept, to bound memory. */
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

/** @returns the index of the quote, the chunk's length if there is none, or one more if the chunk ends in an escape */
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
 * Whether a string can be truncated before `byte`: only after a whole, unescaped character, so that no surrogate pair
 * is split.
 * @param plain bytes since the last backslash
 */
export function canCut(plain: number, byte: number): boolean {
  const continues = byte >= 0x80 && byte < 0xc0;
  return plain >= ESCAPE && byte !== BACKSLASH && byte !== QUOTE && !continues;
}
