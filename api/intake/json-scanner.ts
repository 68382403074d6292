import { invalidRequest as invalid } from '../../lib/contract/api-errors.ts';
import { createGrowingBuffer, filled, type GrowingBuffer, reserve } from './buffers.ts';
import type { ImageFieldReader } from './image-field.ts';
import { canCut, createLongString, createStringBody, LONG_STRING, type LongString } from './json-strings.ts';

// Not JSON.parse of the whole body: it blocks the event loop for 180 to 350 ms. Not stream-json or
// @streamparser/json: they turn the image into strings of JavaScript, which alone takes three times
// as long as this scanner. None of the three rejects a second image_base64.

/**
 * Deepest nesting of a body, so that JSON.parse and recursive functions cannot exhaust the stack.
 */
export const MAX_DEPTH = 64;
/**
 * Most object members and array elements of a body, since later processing takes time in proportion
 * to them.
 */
export const MAX_VALUES = 10_000;

const IMAGE_KEY = 'image_base64';
/** Length of the key with every character as a \u escape. */
const MAX_KEY_LENGTH = IMAGE_KEY.length * 6;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = 0x20;
const OPEN_OBJECT = 0x7b;
const OPENING: ReadonlySet<number> = new Set(Buffer.from('{['));
const CLOSING: ReadonlySet<number> = new Set(Buffer.from('}]'));

export interface Scanner {
  /** @throws ApiError invalid_request */
  write(chunk: Buffer): void;
  /**
   * The body with "" in place of the image. Apart from the tails of long strings, it is valid JSON
   * iff the body is.
   */
  rest(): Buffer;
  /** True when the body is an object whose `image_base64` is a string. */
  readonly foundImage: boolean;
}

interface Scan {
  rest: GrowingBuffer;
  where: 'outside' | 'string' | 'escape' | 'long' | 'image';
  depth: number;
  values: number;
  /** The role of the next string. */
  next: 'key' | 'image' | 'other';
  /** Offset in `rest` of the string that is being read. */
  stringStart: number;
  /** Whether the string that is being read is a top-level key. */
  isKey: boolean;
  /** Bytes since the last backslash, or since the string began. */
  plain: number;
  long: LongString;
  /** Whether the last token was the image's key, so that a colon must follow. */
  colonDue: boolean;
  imageKeys: number;
  foundImage: boolean;
}

/**
 * Splits a JSON body, chunk by chunk, into the string of the top-level key `image_base64` and the
 * rest. It tracks only strings, nesting and top-level keys; JSON.parse of the rest checks the
 * syntax. Runs of whitespace shrink to one space, and strings to {@link LONG_STRING} bytes and a
 * digest of their tail, so that padding, or an image in an ignored field, hardly counts towards
 * `maxRestBytes`.
 */
export function createScanner(field: ImageFieldReader, maxRestBytes: number): Scanner {
  const image = createStringBody((chunk, start, end) => field.write(chunk, start, end));
  const scan: Scan = {
    rest: createGrowingBuffer(maxRestBytes, 4096),
    where: 'outside',
    depth: 0,
    values: 0,
    next: 'other',
    stringStart: 0,
    isKey: false,
    plain: 0,
    long: createLongString(),
    colonDue: false,
    imageKeys: 0,
    foundImage: false,
  };

  function readImage(chunk: Buffer, start: number): number {
    const after = image.read(chunk, start);
    if (image.illegal) throw invalid('The body is not valid JSON: image_base64 holds an unknown escape.');
    if (after !== undefined) scan.where = 'outside';
    return after ?? chunk.length;
  }

  return {
    write(chunk) {
      let at = 0;
      while (at < chunk.length) {
        if (scan.where === 'image') at = readImage(chunk, at);
        else if (scan.where === 'outside') at = outside(scan, chunk, at);
        else if (scan.where === 'long') at = insideLong(scan, chunk, at);
        else if (isLong(scan, chunk[at] ?? 0)) startLong(scan);
        else inside(scan, chunk[at++] ?? 0);
      }
    },
    rest: () => filled(scan.rest),
    get foundImage() {
      return scan.foundImage;
    },
  };
}

/** Reads the first byte of a token, or a run of whitespace. @returns the index after it */
function outside(scan: Scan, chunk: Buffer, start: number): number {
  let at = start;
  while (isWhitespace(chunk[at])) at += 1;
  if (at > start) {
    if (scan.rest.length === 0 || scan.rest.store[scan.rest.length - 1] !== SPACE) append(scan, SPACE);
    return at;
  }
  const byte = chunk[at] ?? 0;
  append(scan, byte);
  if (byte === QUOTE) startString(scan);
  else token(scan, byte);
  return at + 1;
}

function token(scan: Scan, byte: number): void {
  scan.next = byte === COLON && scan.colonDue ? 'image' : 'other';
  scan.colonDue = false;
  if (OPENING.has(byte)) {
    open(scan, byte);
  } else if (CLOSING.has(byte)) {
    scan.depth -= 1;
  } else if (byte === COMMA) {
    countValue(scan);
    if (scan.depth === 1) scan.next = 'key';
  }
}

function open(scan: Scan, byte: number): void {
  countValue(scan);
  scan.depth += 1;
  if (scan.depth > MAX_DEPTH) throw invalid(`The body is nested more than ${MAX_DEPTH} levels deep.`);
  if (scan.depth === 1 && byte === OPEN_OBJECT) scan.next = 'key';
}

function startString(scan: Scan): void {
  scan.where = scan.next === 'image' ? 'image' : 'string';
  if (scan.next === 'image') {
    append(scan, QUOTE);
    scan.foundImage = true;
  }
  scan.stringStart = scan.rest.length;
  scan.isKey = scan.next === 'key';
  scan.plain = 0;
  scan.next = 'other';
  scan.colonDue = false;
}

function inside(scan: Scan, byte: number): void {
  scan.plain = byte === BACKSLASH ? 0 : scan.plain + 1;
  if (scan.where === 'escape') scan.where = 'string';
  else if (byte === BACKSLASH) scan.where = 'escape';
  else if (byte === QUOTE) endString(scan);
  append(scan, byte);
}

function endString(scan: Scan): void {
  scan.where = 'outside';
  if (scan.isKey) endKey(scan);
}

function isLong({ rest, stringStart, plain }: Scan, byte: number): boolean {
  return rest.length - stringStart >= LONG_STRING && canCut(plain, byte);
}

function startLong(scan: Scan): void {
  scan.where = 'long';
  scan.long = createLongString();
}

/** The digest replaces the tail, so that bodies that differ only there still differ. */
function insideLong(scan: Scan, chunk: Buffer, start: number): number {
  const quote = scan.long.read(chunk, start);
  if (quote === undefined) return chunk.length;
  for (const byte of Buffer.from(scan.long.digest())) append(scan, byte);
  scan.where = 'string';
  inside(scan, QUOTE);
  return quote + 1;
}

function endKey(scan: Scan): void {
  if (!isImageKey(filled(scan.rest, scan.stringStart))) return;
  scan.colonDue = true;
  scan.imageKeys += 1;
  if (scan.imageKeys > 1) throw invalid('The body contains image_base64 twice.');
}

/** @param raw the text of a key between its quotes, with any escapes */
function isImageKey(raw: Buffer): boolean {
  if (raw.length > MAX_KEY_LENGTH) return false;
  const text = raw.toString('latin1');
  if (!text.includes('\\')) return text === IMAGE_KEY;
  try {
    return JSON.parse(`"${text}"`) === IMAGE_KEY;
  } catch {
    return false;
  }
}

function countValue(scan: Scan): void {
  scan.values += 1;
  if (scan.values > MAX_VALUES) throw invalid(`The body contains more than ${MAX_VALUES} values.`);
}

function append(scan: Scan, byte: number): void {
  if (!reserve(scan.rest, 1)) throw invalid('The body contains more than 1 MB besides its long strings.');
  scan.rest.store[scan.rest.length++] = byte;
}

const isWhitespace = (byte: number | undefined) =>
  byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09;
