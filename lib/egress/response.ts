import type { Dispatcher } from 'undici';
import { BodyReadError, readBody } from '../admission/read-body.ts';
import { type Deadline, untilAborted } from './deadline.ts';
import { EgressError } from './error.ts';

/** Header values by lower-case name. */
export type ResponseHeaders = Record<string, string | undefined>;

export type EgressResponse = Omit<Dispatcher.ResponseData, 'headers'> & { headers: ResponseHeaders };

const START_BYTES = 256;

export interface BodyLimits {
  maxBytes: number;
  /** Milliseconds for which the body may pause; PACE.slackMs by default. */
  slackMs?: number;
  /**
   * Called after the head, before a body of up to `maxBytes` is read. May wait; a rejection ends
   * the exchange.
   */
  admit?: (maxBytes: number) => Promise<void>;
  /** Called with each chunk of the body as it arrives. */
  received?: (piece: Buffer) => void;
  /**
   * Called with the first {@link START_BYTES} of a body that is at least as long. A returned reason
   * ends the read.
   */
  refuseStart?: (start: Buffer) => string | undefined;
}

export interface ResponseLimits extends BodyLimits {
  /** Required prefix of the Content-Type, such as `image/`. Any type is accepted when absent. */
  mediaType?: string;
}

/**
 * Reads the body of a 2xx response. The head is checked against the limits before the body is read;
 * the deadline's abort discards the body of a rejected response.
 * @throws EgressError
 */
export async function readResponse(
  response: EgressResponse,
  limits: ResponseLimits,
  deadline: Deadline,
): Promise<Buffer> {
  const problem = headProblem(response, limits);
  if (problem !== undefined) throw problem;
  return await readWhole(response, limits, deadline);
}

/**
 * Reads the body of a response of any status. A body that is encoded, too large or incomplete is an
 * EgressError.
 */
export async function readWhole(
  response: EgressResponse,
  limits: BodyLimits,
  deadline: Deadline,
): Promise<Buffer> {
  const problem = bodyProblem(response, limits);
  if (problem !== undefined) throw problem;
  await admitBody(response, limits, deadline);
  const { maxBytes, slackMs } = limits;
  const chunks: Buffer[] = [];
  let size = 0;
  const append = (chunk: Buffer) => {
    size += chunk.length;
    limits.received?.(chunk);
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
    if (size < START_BYTES || size - chunk.length >= START_BYTES) return;
    const problem = limits.refuseStart?.(Buffer.concat(chunks).subarray(0, START_BYTES));
    if (problem !== undefined) throw new EgressError('content', problem);
  };
  await readBody(response.body, append, slackMs === undefined ? {} : { slackMs }).catch(rethrowBodyError);
  return Buffer.concat(chunks, size);
}

function rethrowBodyError(error: unknown): never {
  if (!(error instanceof BodyReadError)) throw error;
  const cause = { cause: error };
  if (error.reason === 'too_many_chunks')
    throw new EgressError('protocol', 'The response came in too many small chunks.', cause);
  if (error.reason === 'slow') throw new EgressError('timeout', 'The response came too slowly.', cause);
  throw error.cause ?? error;
}

/** While this waits, undici buffers a bounded part of the body and reads no more. */
async function admitBody(
  { headers }: EgressResponse,
  { admit, maxBytes }: BodyLimits,
  { pause, signal }: Deadline,
): Promise<void> {
  if (admit === undefined) return;
  const declared = Number(headers['content-length']);
  const expected = declared >= 0 ? Math.min(declared, maxBytes) : maxBytes;
  await pause(() => untilAborted(admit(expected), signal));
}

/**
 * The first bytes of a body, for the record of a delivery. Never throws: once the head has arrived,
 * a body that stalls or breaks does not make the exchange fail. An encoded body counts as empty,
 * since nothing here decodes it.
 */
export async function readStart(response: EgressResponse, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  if (isEncoded(response.headers)) discard(response);
  else {
    try {
      for await (const chunk of response.body as AsyncIterable<Buffer>) {
        chunks.push(chunk);
        size += chunk.length;
        if (size > maxBytes) break;
      }
    } catch {
      // The bytes that did arrive are returned.
    }
  }
  return Buffer.concat(chunks, size).subarray(0, maxBytes);
}

/** Discards an unread body without waiting for it. */
export function discard({ body }: EgressResponse): void {
  body.on('error', () => {}).destroy();
}

/** The media type in lower case, without parameters; '' when the response has none. */
export function mediaTypeOf(headers: ResponseHeaders): string {
  return (headers['content-type'] ?? '').split(';', 1).join('').trim().toLowerCase();
}

function headProblem(
  { statusCode, headers }: EgressResponse,
  limits: ResponseLimits,
): EgressError | undefined {
  if (statusCode < 200 || statusCode > 299)
    return new EgressError('status', `The server responded with status ${statusCode}.`, {
      status: statusCode,
    });
  const mediaType = mediaTypeOf(headers);
  if (limits.mediaType !== undefined && !mediaType.startsWith(limits.mediaType)) {
    const actual = mediaType === '' ? 'there is none' : `it is ${mediaType.slice(0, 100)}`;
    const message = `The Content-Type of the response must begin with ${limits.mediaType}; ${actual}.`;
    return new EgressError('content_type', message);
  }
  return undefined;
}

/** Why the body must not be read, according to the head. */
function bodyProblem({ headers }: EgressResponse, { maxBytes }: BodyLimits): EgressError | undefined {
  if (isEncoded(headers))
    return new EgressError('content_encoding', 'The response must not have a Content-Encoding.');
  if (Number(headers['content-length'] ?? 0) > maxBytes) return tooLarge(maxBytes);
  return undefined;
}

const isEncoded = (headers: ResponseHeaders) =>
  !/^(identity)?$/i.test((headers['content-encoding'] ?? '').trim());

const tooLarge = (maxBytes: number) =>
  new EgressError('too_large', `The response is larger than ${maxBytes} bytes.`);
