import { invalidRequest as invalid } from '../../lib/contract/api-errors.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { createGrowingBuffer, filled, reserve } from './buffers.ts';
import { createPartHead, type PartHead } from './part-head.ts';

// Neither busboy nor @fastify/busboy: they drop a part whose headers they cannot read, without an
// error. The job would be charged without that part. Nor undici's formData(): it refuses the \"
// that curl writes in a file name, accepts data after the end of the form, and takes 2.7 s for a
// form of 200,000 parts.

type Take = (content: Buffer) => void;

export interface FormScanner {
  /**
   * Reads the next chunk.
   * @throws ApiError invalid_request at the first problem; it must not be called again then
   */
  write(chunk: Buffer): void;
  /** @throws ApiError invalid_request when the form has no end */
  end(): void;
}

const MAX_PARTS = 2;
/** Most bytes of the headers of one part. */
const MAX_HEAD = 8 * 1024;
const TOO_LONG = `A part has more than ${MAX_HEAD / 1024} KB of headers, or the form has more than ${LIMITS.formFramingBytes / 1024} KB besides its parts. Send shorter headers of the parts.`;
const BAD_DELIMITER =
  'Other characters than CRLF follow the boundary. Use a boundary that is in no part, and end its lines with CRLF.';
const NOT_THE_END = 'The form goes on after its closing boundary. Send that once, after all parts.';
const NO_END = 'The form ended before its closing boundary. Send it to its end, with that boundary.';
const THIRD_PART = 'The form has more than two parts. Send the parts job and image only.';

const PADDING = /^[ \t]*\r\n$/;
const CLOSING = /^--[ \t]*(?:\r\n)?$/;

/**
 * Reads the delimiters and headers of multipart/form-data (RFC 2046, 5.1.1) while they arrive, and
 * passes on the contents of the parts. Text before the first delimiter and after the last is
 * skipped.
 * @param openPart returns what takes the content of the part
 */
export function createFormScanner(boundary: string, openPart: (head: PartHead) => Take): FormScanner {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const line = createLineReader(MAX_HEAD);
  let search = createDelimiterSearch(delimiter, { afterLine: true });
  let take: Take = skip;
  let reading: 'text' | 'delimiter' | 'head' = 'text';
  let head = createPartHead();
  let headStart = 0;
  let framing = 0;
  let parts = 0;
  let hasEnded = false;

  function count(bytes: number): void {
    framing += bytes;
    if (framing > LIMITS.formFramingBytes) throw invalid(TOO_LONG);
  }

  function skip({ length }: Buffer): void {
    count(length);
  }

  /** @returns the index of the next byte, like {@link readLine} */
  function readText(chunk: Buffer, start: number): number {
    const next = search.read(chunk, start, take);
    if (next === undefined) return chunk.length;
    if (hasEnded) throw invalid(NOT_THE_END);
    count(delimiter.length);
    reading = 'delimiter';
    return next;
  }

  function readLine(chunk: Buffer, start: number): number {
    const next = line.read(chunk, start);
    if (next === undefined) throw invalid(reading === 'head' ? TOO_LONG : BAD_DELIMITER);
    count(next - start);
    if (!line.isComplete()) return next;
    if (reading === 'delimiter') endDelimiter(line.take());
    else endHeader(line.take());
    return next;
  }

  function endDelimiter(text: string): void {
    if (CLOSING.test(text)) endParts();
    else if (PADDING.test(text)) startPart();
    else throw invalid(BAD_DELIMITER);
  }

  function startPart(): void {
    parts += 1;
    if (parts > MAX_PARTS) throw invalid(THIRD_PART);
    head = createPartHead();
    headStart = framing;
    reading = 'head';
  }

  function endParts(): void {
    hasEnded = true;
    search = createDelimiterSearch(delimiter, { afterLine: true });
    take = skip;
    reading = 'text';
  }

  function endHeader(text: string): void {
    if (framing - headStart > MAX_HEAD) throw invalid(TOO_LONG);
    if (text === '\r\n') {
      take = openPart(head.finish());
      reading = 'text';
    } else head.add(text);
  }

  return {
    write(chunk) {
      let at = 0;
      while (at < chunk.length) at = reading === 'text' ? readText(chunk, at) : readLine(chunk, at);
    },
    end() {
      if (reading === 'delimiter' && CLOSING.test(line.take())) hasEnded = true;
      if (!hasEnded) throw invalid(NO_END);
    },
  };
}

const CR = 0x0d;

interface DelimiterSearch {
  /**
   * Passes what is before the next delimiter to `take`, without a copy. The end of a chunk is kept
   * back while it may be the start of a delimiter.
   * @returns the index after the delimiter, or undefined if the chunk has none
   */
  read(chunk: Buffer, start: number, take: Take): number | undefined;
}

/**
 * Searches bytes that arrive in chunks for CRLF, `--` and the boundary. A boundary has no CR, so
 * that no two delimiters overlap, and bytes that were kept back are known: they are the first bytes
 * of the delimiter.
 * @param afterLine whether a line has ended before the first byte, so that the delimiter needs no
 * CRLF there
 */
function createDelimiterSearch(delimiter: Buffer, { afterLine }: { afterLine: boolean }): DelimiterSearch {
  let matched = afterLine ? '\r\n'.length : 0;

  /**
   * Compares the chunk with the rest of the delimiter.
   * @returns whether they are equal up to the end of the shorter one
   */
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

const LF = 0x0a;
const USUAL_LENGTH = 256;

interface LineReader {
  /**
   * Reads to the end of the line or of the chunk.
   * @returns the index of the next byte, or undefined above the limit
   */
  read(chunk: Buffer, start: number): number | undefined;
  /** Whether the line has its LF. */
  isComplete(): boolean;
  /** What was read of the line, with its LF. The next line starts after it. */
  take(): string;
}

/** Reads lines that arrive in chunks. @param limit most bytes of a line */
function createLineReader(limit: number): LineReader {
  const line = createGrowingBuffer(limit, USUAL_LENGTH);
  return {
    read(chunk, start) {
      const end = chunk.indexOf(LF, start) + 1 || chunk.length;
      if (!reserve(line, end - start)) return undefined;
      line.length += chunk.copy(line.store, line.length, start, end);
      return end;
    },
    isComplete: () => line.store[line.length - 1] === LF,
    take() {
      const text = filled(line).toString('utf8');
      line.length = 0;
      return text;
    },
  };
}
