import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { emptyBody, invalidRequest as invalid } from '../../lib/contract/api-errors.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { createImageField, type IncomingImage } from './image-field.ts';
import { createScanner } from './json-scanner.ts';

/** A body of POST /v1/jobs: the fields as JSON.parse returns them, and the image. */
export interface JobBody {
  /**
   * Without `image_base64` if that was a string. Any other value stays, so that the schema rejects
   * it.
   */
  fields: Record<string, unknown>;
  image?: IncomingImage;
}

export interface JobBodyReader {
  /**
   * Reads the next chunk.
   * @throws ApiError invalid_request as soon as the body is known to be invalid
   */
  write(chunk: Buffer): void;
  /** @throws ApiError invalid_request when the body is not a JSON object */
  end(): JobBody;
}

/**
 * Parses a body while it arrives. The base64 image is decoded and hashed chunk by chunk, so that it
 * never blocks the event loop for long and never exists as a string. The rest is small and parsed
 * with JSON.parse. Stricter than JSON: UTF-8 without BOM, no lone surrogates, one `image_base64`,
 * bounded depth and number of values.
 * @param contentLength of the body, if declared
 */
export function createJobBodyReader(contentLength?: number): JobBodyReader {
  const expected = contentLength === undefined ? undefined : Math.ceil((contentLength * 3) / 4);
  const field = createImageField(LIMITS.imageBytes, expected);
  const scanner = createScanner(field, LIMITS.bodyBytesWithoutKey);
  return {
    write: (chunk) => scanner.write(chunk),
    end() {
      const parsed = parseObject(scanner.rest());
      if (!scanner.foundImage) return { fields: parsed };
      const { image_base64: _spliced, ...fields } = parsed;
      return { fields, image: field.finish() };
    },
  };
}

function parseObject(rest: Buffer): Record<string, unknown> {
  if (rest.every((byte) => byte === 0x20)) throw emptyBody();
  if (!isUtf8(rest)) throw invalid('The body is not UTF-8.');
  const value = parse(rest.toString('utf8'));
  if (!isObject(value)) throw invalid('The body must be a JSON object.');
  // A lone surrogate can only come from an escape. Databases and logs would replace it silently.
  if (rest.includes('\\u') && holdsLoneSurrogate(value))
    throw invalid('The body contains a lone surrogate (\\ud800 to \\udfff), which is not a character.');
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid('The body is not valid JSON.', { cause });
  }
}

function holdsLoneSurrogate(value: unknown): boolean {
  if (typeof value === 'string') return /\p{Surrogate}/u.test(value);
  if (Array.isArray(value)) return value.some(holdsLoneSurrogate);
  return isObject(value) && Object.entries(value).flat().some(holdsLoneSurrogate);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The digest by which two bodies of an Idempotency-Key are compared: SHA-256, in hex, of the
 * canonical fields and, in place of the image, its declared type and the digest of its bytes. Key
 * order, whitespace and escapes do not matter. The line of the image follows a raw line feed, which
 * canonical JSON never contains, so that fields cannot imitate it. A form with a JPEG has two
 * digests, separated by a space: it equals the body with base64 and a prefix, and the body with
 * base64 and no prefix. These two do not equal each other.
 */
export function bodyDigest({ fields, image }: JobBody): string {
  const start = createHash('sha256').update(`job body 1\n${canonicalJson(fields)}\n`);
  return imageLines(image)
    .map((line) => start.copy().update(line).digest('hex'))
    .join(' ');
}

/** Compares digests of {@link bodyDigest}. */
export function isSameBody(one: string, other: string): boolean {
  const digests = other.split(' ');
  return one.split(' ').some((digest) => digests.includes(digest));
}

function imageLines(image: IncomingImage | undefined): string[] {
  if (image === undefined) return ['none'];
  // Such a body never creates a job, so its digest only has to differ from the digests of bodies
  // that do.
  if ('malformed' in image) return ['malformed'];
  const { declared = 'undeclared', isFile, sha256 } = image;
  const line = `${declared} ${sha256}`;
  return isFile && declared === 'image/jpeg' ? [`undeclared ${sha256}`, line] : [line];
}

/**
 * JSON with sorted keys and no whitespace (after RFC 8785) of a value from JSON.parse. A number too
 * large for a double is written as `Infinity`, because JSON.stringify would write `null`.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
    return `{${members.join(',')}}`;
  }
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : JSON.stringify(value);
}
