import { createHash } from 'node:crypto';

/** Far longer than any string the API reads; a longer one is ignored, or refused for its length, whatever it says. */
export const LONG_STRING = 32 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Bytes of the longest escape, `\uXXXX`. */
const ESCAPE = 6;

export interface LongString {
  /** Reads on from `start`. @returns the index of the closing quote, or undefined when the string goes on */
  read(chunk: Buffer, start: number): number | undefined;
  /** SHA-256 of what was read, in hex. */
  digest(): string;
}

/** The tail of a long string in a JSON body: hashed as it stands there and not kept, so that memory stays bounded. */
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

/** @returns the index of the quote; the chunk's length when there is none; one more when an escape goes on */
function closingQuote(chunk: Buffer, start: number): number {
  const quote = chunk.indexOf(QUOTE, start);
  const end = quote < 0 ? chunk.length : quote;
  if (!chunk.subarray(start, end).includes(BACKSLASH)) return Math.max(start, end);
  let at = start;
  // Byte by byte: a search from each escape to the next costs many times as much where there are millions of them.
  for (; at < chunk.length && chunk[at] !== QUOTE; at += 1) if (chunk[at] === BACKSLASH) at += 1;
  return at;
}

/**
 * Whether a string can be cut off before `byte`: after a whole character that is no escape, so that no pair of
 * surrogates is parted either.
 * @param plain bytes since the last backslash
 */
export function canCut(plain: number, byte: number): boolean {
  const continues = byte >= 0x80 && byte < 0xc0;
  return plain >= ESCAPE && byte !== BACKSLASH && byte !== QUOTE && !continues;
}
