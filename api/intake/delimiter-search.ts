const CR = 0x0d;

type Take = (bytes: Buffer) => void;

export interface DelimiterSearch {
  /**
   * Passes what is before the next delimiter to `take`, without a copy. The end of a chunk is kept back while it may be
   * the start of a delimiter.
   * @returns the index after the delimiter, or undefined if the chunk has none
   */
  read(chunk: Buffer, start: number, take: Take): number | undefined;
}

/**
 * Searches bytes that arrive in chunks for CRLF, `--` and the boundary. A boundary has no CR, so that no two delimiters
 * overlap, and bytes that were kept back are known: they are the first bytes of the delimiter.
 * @param afterLine whether a line has ended before the first byte, so that the delimiter needs no CRLF there
 */
export function createDelimiterSearch(
  delimiter: Buffer,
  { afterLine }: { afterLine: boolean },
): DelimiterSearch {
  let matched = afterLine ? '\r\n'.length : 0;

  /** Compares the chunk with the rest of the delimiter. @returns whether it is the same as far as both go */
  function goesOn(chunk: Buffer, start: number): boolean {
    const count = Math.min(delimiter.length - matched, chunk.length - start);
    const isSame = chunk.compare(delimiter, matched, matched + count, start, start + count) === 0;
    if (isSame) matched += count;
    return isSame;
  }

  /** @returns the length of the start of a delimiter that the chunk ends with */
  function startAtEnd(chunk: Buffer, start: number): number {
    const at = chunk.lastIndexOf(CR);
    const length = chunk.length - at;
    if (at < start || length >= delimiter.length) return 0;
    return chunk.compare(delimiter, 0, length, at) === 0 ? length : 0;
  }

  return {
    read(chunk, start, take) {
      if (matched > 0) {
        const kept = matched;
        if (goesOn(chunk, start)) {
          if (matched < delimiter.length) return undefined;
          matched = 0;
          return start + delimiter.length - kept;
        }
        take(delimiter.subarray(0, kept));
      }
      const found = chunk.indexOf(delimiter, start);
      matched = found < 0 ? startAtEnd(chunk, start) : 0;
      const end = found < 0 ? chunk.length - matched : found;
      if (end > start) take(chunk.subarray(start, end));
      return found < 0 ? undefined : found + delimiter.length;
    },
  };
}
