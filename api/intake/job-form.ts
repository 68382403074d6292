import { once } from 'node:events';
import { Busboy } from '@fastify/busboy';
import { invalidRequest as invalid, notOneImage } from '../../contract/api-errors.ts';
import { ApiError } from '../../contract/errors.ts';
import { createGrowingBuffer, filled, reserve } from './growing-buffer.ts';
import { createImagePart, type ImagePart } from './image-part.ts';
import { createJobBodyReader, type JobBody, type JobBodyReader } from './job-body.ts';

export interface JobFormReader {
  /** Reads the next chunk. @throws ApiError invalid_request as soon as the form is known to be invalid */
  write(chunk: Buffer): void;
  /** @throws ApiError invalid_request, or invalid_image when it has two images */
  end(): Promise<JobBody>;
}

interface Parts {
  job?: JobBodyReader;
  image?: ImagePart;
}

/** `headerSize` is of one part: what is longer is cut off, so that {@link MAX_FRAMING} has to reject it. */
const FORM_LIMITS = { parts: 2, headerSize: 8 * 1024, headerPairs: 20 };
/** Most bytes of a form besides the contents of its parts. */
const MAX_FRAMING = 16 * 1024;
const FIRST_ALLOCATION = 64 * 1024;
const MAX_NAME = 50;
/** Smaller chunks are joined: their ends cost the parser up to 20 times as much as their bytes. */
const BLOCK = 16 * 1024;
const PLAIN = ['7bit', '8bit', 'binary'];

/**
 * Parses a multipart/form-data body (RFC 7578) while it arrives: the part `job` like a JSON body, and the part `image`,
 * in any order. Any other part is an error, because a field sent as a part of its own would otherwise be lost.
 * @param boundary checked, without quotes
 * @param contentLength of the body, if declared
 */
export function createJobFormReader(
  boundary: string,
  contentLength: number = FIRST_ALLOCATION,
): JobFormReader {
  const parts: Parts = {};
  let block = createGrowingBuffer(BLOCK, BLOCK);
  let framing = 0;
  let problem: unknown;
  const form = new Busboy({
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    isPartAFile: () => true,
    limits: FORM_LIMITS,
  });

  /** What is thrown in an event of the form would end the process. */
  function attempt<T>(work: () => T): T | undefined {
    try {
      return problem === undefined ? work() : undefined;
    } catch (error) {
      problem = error;
      return undefined;
    }
  }

  form.on('file', (name: string | undefined, stream, _filename, encoding, type) => {
    const take = attempt(() => openPart(parts, { name, encoding, type }, contentLength));
    // Read to its end in any case: the form only finishes when its parts have.
    stream.on('data', (chunk: Buffer) => {
      framing -= chunk.length;
      attempt(() => take?.(chunk));
    });
    stream.on('error', () => {});
  });
  form.on('partsLimit', () => attempt(rejectThirdPart));
  form.on('error', () => {});
  const finished = once(form, 'finish').catch((cause: unknown) => {
    problem ??= invalid('The form ended before its closing boundary.', { cause });
  });

  function parse(chunk: Buffer): void {
    framing += chunk.length;
    form.write(chunk);
    if (problem !== undefined) throw problem;
  }

  /** Takes a new block, because the form may still hold parts of this one. */
  function parseBlock(): void {
    if (block.length === 0) return;
    parse(filled(block));
    block = createGrowingBuffer(BLOCK, BLOCK);
  }

  return {
    write(chunk) {
      if (!reserve(block, chunk.length)) parseBlock();
      if (chunk.length >= BLOCK) parse(chunk);
      else block.length += chunk.copy(block.store, block.length);
    },
    async end() {
      parseBlock();
      form.end();
      await finished;
      if (problem !== undefined) throw problem;
      if (framing > MAX_FRAMING)
        throw invalid('The form has more than 16 KB besides its parts. Send shorter headers of the parts.');
      return bodyOf(parts);
    },
  };
}

/** @returns what reads the contents of the part. @throws ApiError invalid_request */
function openPart(
  parts: Parts,
  { name, encoding, type }: { name: string | undefined; encoding: string; type: string },
  expectedBytes: number,
): (chunk: Buffer) => void {
  if (name !== 'job' && name !== 'image') throw unknownPart(name);
  if (parts[name] !== undefined) throw invalid(`The form has two parts named ${name}. Send one.`);
  if (!PLAIN.includes(encoding))
    throw invalid(`The part ${name} has a Content-Transfer-Encoding. Send its bytes as they are.`);
  if (name === 'image') {
    const image = createImagePart(type, expectedBytes);
    parts.image = image;
    return image.write;
  }
  const job = createJobBodyReader();
  parts.job = job;
  return (chunk) => ofJob(() => job.write(chunk));
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

function unknownPart(name = ''): ApiError {
  const named = JSON.stringify(name.slice(0, MAX_NAME));
  return invalid(
    `The form has a part named ${named}. Send the parts job and image only, and all fields in the JSON of job.`,
  );
}

function rejectThirdPart(): never {
  throw invalid('The form has more than two parts. Send the parts job and image only.');
}
