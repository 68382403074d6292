import type { Dispatcher } from 'undici';
import { BodyCutShort, readBody } from '../read-body.ts';
import { type Deadline, untilAborted } from './deadline.ts';
import { EgressError } from './error.ts';

/** By their names in lower case, each once. */
export type AnswerHeaders = Record<string, string | undefined>;

export type Answer = Omit<Dispatcher.ResponseData, 'headers'> & { headers: AnswerHeaders };

const START_BYTES = 256;

export interface AnswerLimits {
  maxBytes: number;
  /** Asked, once the head of the answer is there, whether a body of up to so many bytes may be read; may wait. */
  admit?: (maxBytes: number) => Promise<void>;
  /** Given each piece of the body as it arrives. */
  received?: (piece: Buffer) => void;
  /** Given the first {@link START_BYTES} of a body that has as many; a reason why no more of it is wanted ends it. */
  refuseStart?: (start: Buffer) => string | undefined;
  /** What the Content-Type must begin with, such as `image/`. Anything goes when absent. */
  mediaType?: string;
}

/**
 * Reads the body of a 2xx answer. What the limits refuse is refused before the body is read, and the deadline's
 * abort then lets go of it.
 */
export async function readAnswer(answer: Answer, limits: AnswerLimits, deadline: Deadline): Promise<Buffer> {
  const problem = headProblem(answer, limits);
  if (problem !== undefined) throw problem;
  await admitBody(answer, limits, deadline);
  const chunks: Buffer[] = [];
  let size = 0;
  const take = (chunk: Buffer) => {
    size += chunk.length;
    limits.received?.(chunk);
    if (size > limits.maxBytes) throw tooLarge(limits.maxBytes);
    chunks.push(chunk);
    if (size < START_BYTES || size - chunk.length >= START_BYTES) return;
    const problem = limits.refuseStart?.(Buffer.concat(chunks).subarray(0, START_BYTES));
    if (problem !== undefined) throw new EgressError('content', problem);
  };
  await readBody(answer.body, take).catch(cutShort);
  return Buffer.concat(chunks, size);
}

function cutShort(error: unknown): never {
  if (!(error instanceof BodyCutShort)) throw error;
  const cause = { cause: error };
  if (error.reason === 'pieces')
    throw new EgressError('protocol', 'The answer came in too many small pieces.', cause);
  if (error.reason === 'slow') throw new EgressError('timeout', 'The answer came too slowly.', cause);
  throw error.cause ?? error;
}

/** Of the body no more is taken off the wire meanwhile than fits undici's buffer. */
async function admitBody(
  { headers }: Answer,
  { admit, maxBytes }: AnswerLimits,
  { standStill, signal }: Deadline,
): Promise<void> {
  if (admit === undefined) return;
  const declared = Number(headers['content-length']);
  const expected = declared >= 0 ? Math.min(declared, maxBytes) : maxBytes;
  await standStill(() => untilAborted(admit(expected), signal));
}

/**
 * The first bytes of a body, for a record. Never throws: once the head has arrived, a body that stalls or breaks
 * takes nothing from the answer. An encoded body counts as empty, since nothing here decodes it.
 */
export async function readStart(answer: Answer, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  if (isEncoded(answer.headers)) discard(answer);
  else {
    try {
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        chunks.push(chunk);
        size += chunk.length;
        if (size > maxBytes) break;
      }
    } catch {
      // What has arrived is the record.
    }
  }
  return Buffer.concat(chunks, size).subarray(0, maxBytes);
}

/** Lets go of a body nobody reads, without waiting for it. */
export function discard({ body }: Answer): void {
  body.on('error', () => {}).destroy();
}

/** The media type in lower case without parameters; '' when the answer has none. */
export function mediaTypeOf(headers: AnswerHeaders): string {
  return (headers['content-type'] ?? '').split(';', 1).join('').trim().toLowerCase();
}

function headProblem({ statusCode, headers }: Answer, limits: AnswerLimits): EgressError | undefined {
  if (statusCode < 200 || statusCode > 299)
    return new EgressError('status', `The server answered with status ${statusCode}.`, {
      status: statusCode,
    });
  const mediaType = mediaTypeOf(headers);
  if (limits.mediaType !== undefined && !mediaType.startsWith(limits.mediaType)) {
    const found = mediaType === '' ? 'absent' : mediaType.slice(0, 100);
    const message = `The answer's Content-Type must begin with ${limits.mediaType}, not be ${found}.`;
    return new EgressError('content_type', message);
  }
  if (isEncoded(headers))
    return new EgressError('content_encoding', 'The answer must be sent without a Content-Encoding.');
  if (Number(headers['content-length'] ?? 0) > limits.maxBytes) return tooLarge(limits.maxBytes);
  return undefined;
}

const isEncoded = (headers: AnswerHeaders) =>
  !/^(identity)?$/i.test((headers['content-encoding'] ?? '').trim());

const tooLarge = (maxBytes: number) =>
  new EgressError('too_large', `The answer is larger than ${maxBytes} bytes.`);
