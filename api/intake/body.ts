import { isUtf8 } from 'node:buffer';
import { ApiError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { createImageField, type IncomingImage } from './image-field.ts';
import { createScanner } from './scanner.ts';

/** A body of POST /v1/jobs: its fields as JSON.parse gives them, and the image apart from them. */
export interface JobBody {
  /** Without `image_base64` when that was a string; with it when it was anything else, for the schema to refuse. */
  fields: Record<string, unknown>;
  image?: IncomingImage;
}

export interface JobBodyReader {
  /** Takes the next chunk off the socket. @throws ApiError invalid_request as soon as the body can't be used */
  write(chunk: Buffer): void;
  /** @throws ApiError invalid_request when the body is no JSON object */
  end(): JobBody;
}

/**
 * Reads a body while it arrives: the base64 image is decoded and hashed piece by piece, so that no step takes longer
 * than a chunk and the image is never there as a string. What is left is small and goes through JSON.parse.
 * Stricter than JSON: UTF-8 without BOM, whole surrogate pairs, `image_base64` once, bounded depth and number of values.
 * @param contentLength of the body, when declared
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
  if (rest.every((byte) => byte === 0x20)) throw invalid('The body is empty; send a JSON object.');
  if (!isUtf8(rest)) throw invalid('The body is not UTF-8.');
  const value = parse(rest.toString('utf8'));
  if (!isObject(value)) throw invalid('The body must be a JSON object.');
  // A lone surrogate can only come from an escape; databases and logs would replace it without a word.
  if (rest.includes('\\u') && holdsLoneSurrogate(value))
    throw invalid('The body holds half a surrogate pair, which is no character.');
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

const invalid = (message: string, options?: ErrorOptions) =>
  new ApiError('invalid_request', message, options);
