import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BudgetError } from '../../budget.ts';
import { ApiError } from '../../contract/errors.ts';
import { LIMITS, PACE } from '../../contract/limits.ts';
import type { Budgets } from '../budgets.ts';
import { createHold } from '../hold.ts';
import { createJobBodyReader, type JobBody } from '../intake/body.ts';
import '../request.ts';
import { BodyCutShort, readBody } from '../../read-body.ts';
import { isJson } from './media-type.ts';
import { closeAfterUnreadBody, drain } from './unread-body.ts';
import { invite } from './wire.ts';

const MB = 1024 * 1024;
/** What is held for a body must be there by then, or it is held for nothing: 30 MB take 4 Mbit/s. */
const BODY_SECONDS = 60;
const SLOW = `The body came too slowly, or stopped: all of it has to arrive within ${BODY_SECONDS} seconds, and without a Content-Length it counts as 30 MB.`;
/** How long an anonymous chunked body may take until it is known not to pass the limit. */
const ANONYMOUS_MS = 10_000;

/**
 * An onRequest hook, ahead of authentication: 30 MB with the X-Api-Key header, 1 MB without (spec: POST /v1/jobs, rule
 * 3). A body of unknown length without the header is read, at most to its limit, to tell 413 from 401.
 * It throws ApiError payload_too_large.
 */
export function limitBody({ drops }: Pick<Budgets, 'drops'>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const limit = bodyLimit(request);
    if ((contentLength(request) ?? 0) > limit) throw tooLarge(limit);
    if (hasKey(request) || request.headers['transfer-encoding'] === undefined) return;
    invite(request, reply.raw);
    const ended = await drain(request, { drops, maxBytes: limit, maxMs: ANONYMOUS_MS }).catch(notDrained);
    if (!ended) throw tooLarge(limit);
  };
}

/**
 * Makes POST /v1/jobs (the route of group `create-job`) read its body through the intake: `request.body` is a
 * {@link JobBody}. It is read once its bytes are within the budgets, and `request.hold` holds these. No other route
 * reads a body; whatever is left unread is drained and the connection closed.
 */
export function registerBodies(
  app: FastifyInstance,
  budgets: Pick<Budgets, 'bytes' | 'bytesOf' | 'closing' | 'drops'>,
): void {
  app.decorateRequest('bodyGivenUp', false);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) =>
    takesJob(request) ? readJobBody(request, payload) : undefined,
  );
  app.addHook('preParsing', async (request, reply) => {
    if (!takesJob(request)) return;
    checkEncoding(request);
    request.hold = createHold(request.caller, reply.raw, { closing: budgets.closing });
    request.bodyLease = await request.hold.takeBytes(budgets, expectedBytes(request));
    invite(request, reply.raw);
  });
  app.addHook('onSend', closeAfterUnreadBody(budgets.drops));
}

function checkEncoding({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new ApiError('invalid_request', 'Send the body without a Content-Encoding.');
  if (!isJson(headers['content-type'] ?? ''))
    throw new ApiError('invalid_request', 'Send a JSON body with Content-Type: application/json.');
}

async function readJobBody(request: FastifyRequest, payload: Readable): Promise<JobBody> {
  const limit = bodyLimit(request);
  const reader = createJobBodyReader(contentLength(request));
  let received = 0;
  const take = (piece: Buffer) => {
    received += piece.length;
    if (received > limit) throw tooLarge(limit);
    reader.write(piece);
  };
  const bytesPerSecond = Math.max(PACE.bytesPerSecond, expectedBytes(request) / BODY_SECONDS);
  await readBody(payload, take, { bytesPerSecond }).catch((error) => {
    giveUpPieces(request, error);
    return notRead(error);
  });
  const body = reader.end();
  request.bodyLease.shrink(Math.min(received, keptOf(body)));
  return body;
}

/** Of the body only the decoded picture is kept, and at most {@link LIMITS.bodyBytesWithoutKey} of everything else. */
function keptOf({ image }: JobBody): number {
  const picture = image !== undefined && 'bytes' in image ? image.bytes.length : 0;
  return picture + LIMITS.bodyBytesWithoutKey;
}

/** Whatever comes next costs as much a byte, so nothing more is taken off the wire, be it to drop it. */
function giveUpPieces(request: FastifyRequest, error: unknown): void {
  if (!(error instanceof BodyCutShort) || error.reason !== 'pieces') return;
  request.bodyGivenUp = true;
  request.raw.socket.pause();
}

function notRead(error: unknown): never {
  if (!(error instanceof BodyCutShort)) throw error;
  const cause = { cause: error };
  switch (error.reason) {
    case 'slow':
      throw new ApiError('invalid_request', SLOW, cause);
    case 'pieces':
      throw new ApiError('invalid_request', 'The body came in too many small pieces.', cause);
    default:
      throw new ApiError('invalid_request', 'The body was cut off.', cause);
  }
}

function notDrained(error: unknown): never {
  if (!(error instanceof BudgetError)) return notRead(error);
  const busy = 'Too many bodies of unknown length without the X-Api-Key header are under way.';
  if (error.obstacle === 'owner') throw new ApiError('rate_limited', busy, { cause: error, retryAfter: 1 });
  throw new ApiError('internal_error', busy, { cause: error });
}

const takesJob = ({ routeOptions }: FastifyRequest) => routeOptions.config.group === 'create-job';
const hasKey = ({ headers }: FastifyRequest) => headers['x-api-key'] !== undefined;
const bodyLimit = (request: FastifyRequest) =>
  hasKey(request) ? LIMITS.bodyBytes : LIMITS.bodyBytesWithoutKey;

function contentLength({ headers }: FastifyRequest): number | undefined {
  const declared = headers['content-length'];
  return declared === undefined ? undefined : Number(declared);
}

/**
 * A chunked body counts as the limit until it has ended: taking more as it grows would have requests wait for one another
 * that each hold a part.
 */
function expectedBytes(request: FastifyRequest): number {
  const unknown = request.headers['transfer-encoding'] === undefined ? 0 : bodyLimit(request);
  return contentLength(request) ?? unknown;
}

function tooLarge(limit: number): ApiError {
  const hint = limit < LIMITS.bodyBytes ? ' Without the X-Api-Key header that is the limit.' : '';
  return new ApiError('payload_too_large', `The body is over ${limit / MB} MB.${hint}`);
}
