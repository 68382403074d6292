import { invalidRequest as invalid, notOneImage } from '../../lib/contract/api-errors.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { createImageBytes, type ImageBytes } from './buffers.ts';
import { createFormScanner } from './form-scanner.ts';
import type { IncomingImage } from './image-field.ts';
import { createJobBodyReader, type JobBody, type JobBodyReader } from './job-body.ts';
import type { PartHead } from './part-head.ts';

export interface JobFormReader {
  /**
   * Reads the next chunk.
   * @throws ApiError invalid_request as soon as the form is known to be invalid
   */
  write(chunk: Buffer): void;
  /** @throws ApiError invalid_request, or invalid_image when it has two images */
  end(): JobBody;
}

interface Parts {
  job?: JobBodyReader;
  image?: ImagePart;
}

const FIRST_ALLOCATION = 64 * 1024;

/**
 * Parses a multipart/form-data body (RFC 7578) while it arrives: the part `job` like a JSON body,
 * and the part `image`, in any order. Any other part is an error, because a field sent as a part of
 * its own would otherwise be lost.
 * @param boundary checked, without quotes
 * @param contentLength of the body, if declared
 */
export function createJobFormReader(
  boundary: string,
  contentLength: number = FIRST_ALLOCATION,
): JobFormReader {
  const parts: Parts = {};
  const scanner = createFormScanner(boundary, (head) => openPart(parts, head, contentLength));
  return {
    write: scanner.write,
    end() {
      scanner.end();
      return bodyOf(parts);
    },
  };
}

/** @returns what takes the content of the part. @throws ApiError invalid_request */
function openPart(parts: Parts, { name, type }: PartHead, expectedBytes: number): (content: Buffer) => void {
  if (parts[name] !== undefined) throw invalid(`The form has two parts named ${name}. Send one.`);
  if (name === 'image') {
    const image = createImagePart(type, expectedBytes);
    parts.image = image;
    return image.write;
  }
  const job = createJobBodyReader();
  parts.job = job;
  return (content) => ofJob(() => job.write(content));
}

function bodyOf({ job, image }: Parts): JobBody {
  if (job === undefined)
    throw invalid('The form has no part named job. Send the JSON object, without the image, in it.');
  const body = ofJob(job.end);
  if (image === undefined) return body;
  if (body.image !== undefined) throw notOneImage();
  return { ...body, image: image.finish() };
}

/** Names the part in the errors of its reader. */
function ofJob<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError) throw invalid(`Part job: ${error.message}`, { cause: error });
    throw error;
  }
}

interface ImagePart {
  write(chunk: Buffer): void;
  finish(): IncomingImage;
}

const MB = 1024 * 1024;
const JPEG = 'image/jpeg';
/** `text/plain` is the type of a part without a Content-Type (RFC 7578, 4.4). */
const TYPES = new Map([
  [JPEG, JPEG],
  ['image/jpg', JPEG],
  ['image/pjpeg', JPEG],
  ['application/octet-stream', JPEG],
  ['text/plain', JPEG],
  ['image/png', 'image/png'],
  ['image/x-png', 'image/png'],
  ['image/webp', 'image/webp'],
]);
const BAD_TYPE = 'its Content-Type must be image/jpeg, image/png or image/webp. Without one it is JPEG.';

/**
 * Collects the part `image` of a form. Its Content-Type stands for the prefix of a data URI.
 * @param type media type in lower case, without parameters
 * @param expectedBytes estimate of the size
 */
function createImagePart(type: string, expectedBytes: number): ImagePart {
  const declared = TYPES.get(type);
  let image: ImageBytes | undefined;
  let size = 0;
  if (declared !== undefined) image = createImageBytes(LIMITS.imageBytes, expectedBytes);

  return {
    write(chunk) {
      size += chunk.length;
      const store = (target: Buffer, offset: number) => chunk.copy(target, offset) === chunk.length;
      if (image?.add(chunk.length, store) === 'over') image = undefined;
    },
    finish() {
      if (declared === undefined) return malformed(BAD_TYPE);
      if (size === 0) return malformed('the file is empty.');
      if (image === undefined) return malformed(`over ${LIMITS.imageBytes / MB} MB.`);
      return { ...image.finish(), declared, isFile: true };
    },
  };
}

const malformed = (reason: string): IncomingImage => ({ malformed: reason, field: 'image' });
