import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LimitError } from '../../lib/admission/limit.ts';
import { BodyReadError, readBody } from '../../lib/admission/read-body.ts';
import { payloadTooLarge } from '../../lib/contract/api-errors.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import { LIMITS, PACE } from '../../lib/contract/limits.ts';
import type { ApiLimits } from '../admission/limits.ts';
import type { BytesPermit, RequestPermits } from '../admission/request-permits.ts';
import { createJobBodyReader, type JobBody } from '../intake/job-body.ts';
import { createJobFormReader } from '../intake/job-form.ts';
import './fastify-types.ts';
import { formBoundary, isForm, isJson } from './media-type.ts';
import { abandonBody, closeAfterUnreadBody, drain } from './unread-body.ts';
import { sendContinue } from './wire.ts';

const BODY_SECONDS = PACE.bodyMs / 1000;
const TOO_SLOW = `The body arrived too slowly or stalled. It must arrive within ${BODY_SECONDS} seconds; without a Content-Length it counts as 30 MB.`;
const NOT_JSON = 'Send a JSON body with Content-Type: application/json.';
const UNKNOWN_TYPE =
  'Send a JSON body with Content-Type: application/json, or a form with Content-Type: multipart/form-data.';
const NO_BOUNDARY =
  'Content-Type: multipart/form-data needs a boundary of 1 to 70 characters. Leave the header to your HTTP client, which sets both.';
/** Time for a chunked body without the key header to arrive, or to exceed its limit. */
const ANONYMOUS_MS = 10_000;

/**
 * Limits the body to 30 MB with the X-Api-Key header and 1 MB without it (spec: POST /v1/jobs, rule
 * 3), or to the `bodyBytes` of the route. Without the header, a body of unknown length is read up
 * to the limit, to choose between 413 and 401. To be called before authentication.
 * @throws ApiError payload_too_large
 */
export async function limitBody(
  { unreadBodies }: Pick<ApiLimits, 'unreadBodies'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const limit = bodyLimit(request);
  if ((contentLength(request) ?? 0) > limit) throw payloadTooLarge(limit);
  if (hasKey(request) || request.headers['transfer-encoding'] === undefined) return;
  sendContinue(request, reply.raw);
  const bounds = { unreadBodies, maxBytes: limit, maxMs: ANONYMOUS_MS };
  const ended = await drain(request, bounds).catch(rethrowDrainError);
  if (!ended) throw payloadTooLarge(limit);
}

/**
 * Checks the headers of a body that the route reads. Sends 100 Continue for a small body. POST
 * /v1/jobs sends it later, when it has its permit.
 */
export function checkBodyHeaders(request: FastifyRequest, reply: FastifyReply): void {
  if (!createsJob(request) && !isSmall(request)) return;
  checkEncoding(request);
  checkType(request);
  if (isSmall(request)) sendContinue(request, reply.raw);
}

/**
 * Reads the bodies of routes with `bodyBytes`. POST /v1/jobs reads its body itself, by
 * {@link readJobBody}. No other route reads a body. A body that no route has read is drained, and
 * its connection is closed.
 */
export function registerBodies(
  app: FastifyInstance,
  { unreadBodies }: Pick<ApiLimits, 'unreadBodies'>,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest) =>
    isSmall(request) ? (await readBodyOf(request)).body.fields : undefined,
  );
  app.addHook('onSend', closeAfterUnreadBody(unreadBodies));
}

/**
 * Reads the body of POST /v1/jobs once the limits allow it. The permit for its bytes belongs to
 * `permits`, and shrinks to what is kept of the body.
 * @throws ApiError
 */
export async function readJobBody(
  request: FastifyRequest,
  reply: FastifyReply,
  permits: RequestPermits,
  limits: Pick<ApiLimits, 'bytes' | 'bytesOf'>,
): Promise<{ body: JobBody; permit: BytesPermit }> {
  const permit = await permits.takeBytes(limits, expectedBytes(request));
  sendContinue(request, reply.raw);
  try {
    const { body, received } = await readBodyOf(request);
    permit.shrink(Math.min(received, retainedBytes(body)));
    return { body, permit };
  } catch (error) {
    // The client may be sending more.
    reply.header('Connection', 'close');
    throw error;
  }
}

function checkEncoding({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new ApiError('invalid_request', 'Send the body without a Content-Encoding.');
}

/** Only POST /v1/jobs reads forms. */
function checkType(request: FastifyRequest): void {
  const type = request.headers['content-type'] ?? '';
  if (isJson(type)) return;
  if (!createsJob(request)) throw new ApiError('invalid_request', NOT_JSON);
  if (!isForm(type)) throw new ApiError('invalid_request', UNKNOWN_TYPE);
  if (formBoundary(type) === undefined) throw new ApiError('invalid_request', NO_BOUNDARY);
}

function createReader({ headers }: FastifyRequest, length: number | undefined) {
  const boundary = formBoundary(headers['content-type'] ?? '');
  return boundary === undefined ? createJobBodyReader(length) : createJobFormReader(boundary, length);
}

/** @returns the body, and its length in bytes */
async function readBodyOf(request: FastifyRequest) {
  const limit = bodyLimit(request);
  const reader = createReader(request, contentLength(request));
  let received = 0;
  const onChunk = (chunk: Buffer) => {
    received += chunk.length;
    if (received > limit) throw payloadTooLarge(limit);
    reader.write(chunk);
  };
  const bytesPerSecond = Math.max(PACE.bytesPerSecond, expectedBytes(request) / BODY_SECONDS);
  await readBody(request.raw, onChunk, { bytesPerSecond }).catch((error) => {
    // Discarding tiny chunks costs as much processor time as keeping them: a body on a paused
    // socket is not drained.
    if (error instanceof BodyReadError && error.reason === 'too_many_chunks') abandonBody(request);
    return rethrowBodyError(error);
  });
  return { body: reader.end(), received };
}

/**
 * Only the decoded image is kept, and at most {@link LIMITS.bodyBytesWithoutKey} of everything
 * else.
 */
function retainedBytes({ image }: JobBody): number {
  const decoded = image !== undefined && 'bytes' in image ? image.bytes.length : 0;
  return decoded + LIMITS.bodyBytesWithoutKey;
}

function rethrowBodyError(error: unknown): never {
  if (!(error instanceof BodyReadError)) throw error;
  const cause = { cause: error };
  switch (error.reason) {
    case 'slow':
      throw new ApiError('invalid_request', TOO_SLOW, cause);
    case 'too_many_chunks':
      throw new ApiError(
        'invalid_request',
        'The body came in too many small chunks. Send larger ones.',
        cause,
      );
    default:
      throw new ApiError('invalid_request', 'The body ended before it was complete.', cause);
  }
}

function rethrowDrainError(error: unknown): never {
  if (!(error instanceof LimitError)) return rethrowBodyError(error);
  const message =
    'Too many requests without the X-Api-Key header send a body of unknown length. Send the header.';
  if (error.obstacle === 'owner')
    throw new ApiError('rate_limited', message, { cause: error, limit: 'unread-bodies', retryAfter: 1 });
  throw new ApiError('internal_error', message, { cause: error });
}

const createsJob = ({ routeOptions }: FastifyRequest) => routeOptions.config.group === 'create-job';
const hasKey = ({ headers }: FastifyRequest) => headers['x-api-key'] !== undefined;
const isSmall = ({ routeOptions }: FastifyRequest) => routeOptions.config.bodyBytes !== undefined;
const bodyLimit = (request: FastifyRequest) =>
  request.routeOptions.config.bodyBytes ?? (hasKey(request) ? LIMITS.bodyBytes : LIMITS.bodyBytesWithoutKey);

function contentLength({ headers }: FastifyRequest): number | undefined {
  const declared = headers['content-length'];
  return declared === undefined ? undefined : Number(declared);
}

/**
 * A chunked body counts as the limit until it has ended. If its permit grew with it, requests could
 * wait for one another without end.
 */
function expectedBytes(request: FastifyRequest): number {
  const ifUndeclared = request.headers['transfer-encoding'] === undefined ? 0 : bodyLimit(request);
  return contentLength(request) ?? ifUndeclared;
}
