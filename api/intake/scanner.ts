import { ApiError } from '../../contract/errors.ts';
import { createGrowingBuffer, filled, type GrowingBuffer, reserve } from './growing-buffer.ts';
import type { ImageField } from './image-field.ts';
import { canCut, createLongString, LONG_STRING, type LongString } from './long-string.ts';
import { createStringBody } from './string-body.ts';

/** Deepest nesting of a body: JSON.parse and every walk over its result stay far from the stack's end. */
export const MAX_DEPTH = 64;
/** Most members and elements of a body: what is done with it later costs time by their number. */
export const MAX_VALUES = 10_000;

const IMAGE_KEY = 'image_base64';
/** Every character of the key as a \u escape. */
const LONGEST_SPELLING = IMAGE_KEY.length * 6;
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
  /** The body with "" in the place of the image's string; valid JSON exactly if the body was, but for the tails of long strings. */
  rest(): Buffer;
  /** True when the body is an object that holds `image_base64` with a string as its value. */
  readonly foundImage: boolean;
}

interface Scan {
  rest: GrowingBuffer;
  where: 'outside' | 'string' | 'escape' | 'long' | 'image';
  depth: number;
  values: number;
  /** What the next string is, so far as that matters. */
  next: 'key' | 'image' | 'other';
  /** Where in `rest` the string begins that is being read. */
  stringStart: number;
  /** The string being read is a top-level key. */
  isKey: boolean;
  /** Bytes since the last backslash, or since the string began. */
  plain: number;
  long: LongString;
  /** The last token was the image's key, and its colon is due. */
  colonDue: boolean;
  imageKeys: number;
  foundImage: boolean;
}

/**
 * Splits a JSON body, as its chunks arrive, into the string at the top-level key `image_base64` and everything else.
 * It only tells strings, nesting and top-level keys apart; JSON.parse of the rest judges the syntax.
 * Runs of whitespace shrink to one space, and strings to {@link LONG_STRING} and a digest of their tail, so neither
 * padding nor a picture in a field that is ignored counts much towards `maxRestBytes`.
 */
export function createScanner(field: ImageField, maxRestBytes: number): Scanner {
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

/** Takes one token's byte or a run of whitespace. @returns the index after it */
function outside(scan: Scan, chunk: Buffer, start: number): number {
  let at = start;
  while (isWhitespace(chunk[at])) at += 1;
  if (at > start) {
    if (scan.rest.length === 0 || scan.rest.store[scan.rest.length - 1] !== SPACE) keep(scan, SPACE);
    return at;
  }
  const byte = chunk[at] ?? 0;
  keep(scan, byte);
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
    keep(scan, QUOTE);
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
  keep(scan, byte);
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

/** The digest stands for the tail, so that two bodies that differ only there are still different. */
function insideLong(scan: Scan, chunk: Buffer, start: number): number {
  const quote = scan.long.read(chunk, start);
  if (quote === undefined) return chunk.length;
  for (const byte of Buffer.from(scan.long.digest())) keep(scan, byte);
  scan.where = 'string';
  inside(scan, QUOTE);
  return quote + 1;
}

function endKey(scan: Scan): void {
  if (!isImageKey(filled(scan.rest, scan.stringStart))) return;
  scan.colonDue = true;
  scan.imageKeys += 1;
  if (scan.imageKeys > 1) throw invalid('The body holds image_base64 twice.');
}

/** @param raw a key as it stands between its quotes, perhaps with escapes */
function isImageKey(raw: Buffer): boolean {
  if (raw.length > LONGEST_SPELLING) return false;
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
  if (scan.values > MAX_VALUES) throw invalid(`The body holds more than ${MAX_VALUES} values.`);
}

function keep(scan: Scan, byte: number): void {
  if (!reserve(scan.rest, 1)) throw invalid('Besides its long strings the body holds more than 1 MB.');
  scan.rest.store[scan.rest.length++] = byte;
}

const isWhitespace = (byte: number | undefined) =>
  byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09;
const invalid = (message: string) => new ApiError('invalid_request', message);
