import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LimitError } from '../../lib/admission/limit.ts';
import { payloadTooLarge } from '../../lib/contract/api-errors.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import { LIMITS, PACE } from '../../lib/contract/limits.ts';
import type { Budgets } from '../admission/limits.ts';
import { createHold } from '../admission/request-permits.ts';
import { createJobBodyReader, type JobBody } from '../intake/job-body.ts';
import { createJobFormReader } from '../intake/job-form.ts';
import './fastify-types.ts';
import { BodyReadError, readBody } from '../../lib/admission/read-body.ts';
import { formBoundary, isForm, isJson } from './media-type.ts';
import { closeAfterUnreadBody, drain } from './unread-body.ts';
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
 * onRequest hook, before authentication: limits the body to 30 MB with the X-Api-Key header and 1 MB without it (spec:
 * POST /v1/jobs, rule 3), or to the route's `bodyBytes`. Without the header, a body of unknown length is read up to the
 * limit to choose between 413 and 401. The hook throws ApiError payload_too_large.
 */
export function limitBody({ drops }: Pick<Budgets, 'drops'>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const limit = bodyLimit(request);
    if ((contentLength(request) ?? 0) > limit) throw payloadTooLarge(limit);
    if (hasKey(request) || request.headers['transfer-encoding'] === undefined) return;
    sendContinue(request, reply.raw);
    const ended = await drain(request, { drops, maxBytes: limit, maxMs: ANONYMOUS_MS }).catch(
      rethrowDrainError,
    );
    if (!ended) throw payloadTooLarge(limit);
  };
}

/**
 * Makes POST /v1/jobs (the route of group `create-job`) parse its body into a {@link JobBody}. The body is read once
 * the budgets have room for it; `request.hold` keeps that lease. Routes with `bodyBytes` get the fields of theirs, by the
 * same rules. No other route reads a body: unread bodies are drained and the connection is closed.
 */
export function registerBodies(
  app: FastifyInstance,
  budgets: Pick<Budgets, 'bytes' | 'bytesOf' | 'closing' | 'drops'>,
): void {
  app.decorateRequest('bodyAbandoned', false);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    if (createsJob(request)) return readJobBody(request, payload);
    return isSmall(request) ? (await readBodyOf(request, payload)).body.fields : undefined;
  });
  app.addHook('preParsing', async (request, reply) => {
    if (!createsJob(request) && !isSmall(request)) return;
    checkEncoding(request);
    checkType(request);
    if (isSmall(request)) return sendContinue(request, reply.raw);
    request.hold = createHold(request.caller, reply.raw, { closing: budgets.closing });
    request.bodyLease = await request.hold.takeBytes(budgets, expectedBytes(request));
    sendContinue(request, reply.raw);
  });
  app.addHook('onSend', closeAfterUnreadBody(budgets.drops));
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

async function readJobBody(request: FastifyRequest, payload: Readable): Promise<JobBody> {
  const { body, received } = await readBodyOf(request, payload);
  request.bodyLease.shrink(Math.min(received, retainedBytes(body)));
  return body;
}

/** @returns the body, and its length in bytes */
async function readBodyOf(request: FastifyRequest, payload: Readable) {
  const limit = bodyLimit(request);
  const reader = createReader(request, contentLength(request));
  let received = 0;
  const onChunk = (chunk: Buffer) => {
    received += chunk.length;
    if (received > limit) throw payloadTooLarge(limit);
    reader.write(chunk);
  };
  const bytesPerSecond = Math.max(PACE.bytesPerSecond, expectedBytes(request) / BODY_SECONDS);
  await readBody(payload, onChunk, { bytesPerSecond }).catch((error) => {
    if (error instanceof BodyReadError && error.reason === 'too_many_chunks') stopReading(request);
    return rethrowBodyError(error);
  });
  return { body: reader.end(), received };
}

/** Only the decoded image is kept, and at most {@link LIMITS.bodyBytesWithoutKey} of everything else. */
function retainedBytes({ image }: JobBody): number {
  const decoded = image !== undefined && 'bytes' in image ? image.bytes.length : 0;
  return decoded + LIMITS.bodyBytesWithoutKey;
}

/** Tiny chunks cost as much CPU to discard as to keep, so such a body is not drained either. */
function stopReading(request: FastifyRequest): void {
  request.bodyAbandoned = true;
  request.raw.socket.pause();
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
 * A chunked body counts as the limit until it has ended. Taking more as it grows could deadlock: requests that each
 * hold a part would wait for one another.
 */
function expectedBytes(request: FastifyRequest): number {
  const ifUndeclared = request.headers['transfer-encoding'] === undefined ? 0 : bodyLimit(request);
  return contentLength(request) ?? ifUndeclared;
}
