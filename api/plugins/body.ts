import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { createJobBodyReader, type JobBody } from '../intake/body.ts';
import '../request.ts';
import { closeAfterUnreadBody, drain } from './unread-body.ts';
import { invite } from './wire.ts';

const MB = 1024 * 1024;
const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;
/** How long an anonymous chunked body may take until it is known not to pass the limit. */
const ANONYMOUS_MS = 10_000;

/**
 * onRequest hook, ahead of authentication: 30 MB with the X-Api-Key header, 1 MB without (spec: POST /v1/jobs, rule 3).
 * A body of unknown length without the header is read, at most to its limit, to tell 413 from 401.
 * @throws ApiError payload_too_large
 */
export async function limitBody(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const limit = bodyLimit(request);
  if ((contentLength(request) ?? 0) > limit) throw tooLarge(limit);
  if (hasKey(request) || request.headers['transfer-encoding'] === undefined) return;
  invite(request, reply.raw);
  if (!(await drain(request.raw, limit, ANONYMOUS_MS))) throw tooLarge(limit);
}

/**
 * Makes POST /v1/jobs (the route of group `create-job`) read its body through the intake: `request.body` is a
 * {@link JobBody}. No other route reads a body; whatever is left unread is drained and the connection closed.
 */
export function registerBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) =>
    takesJob(request) ? readJobBody(request, payload) : undefined,
  );
  app.addHook('preParsing', async (request, reply) => {
    if (!takesJob(request)) return;
    checkEncoding(request);
    invite(request, reply.raw);
  });
  app.addHook('onSend', closeAfterUnreadBody);
}

function checkEncoding({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new ApiError('invalid_request', 'Send the body without a Content-Encoding.');
  if (!JSON_TYPE.test(headers['content-type'] ?? ''))
    throw new ApiError('invalid_request', 'Send a JSON body with Content-Type: application/json.');
}

async function readJobBody(request: FastifyRequest, payload: Readable): Promise<JobBody> {
  const limit = bodyLimit(request);
  const reader = createJobBodyReader(contentLength(request));
  let received = 0;
  for await (const chunk of chunksOf(payload)) {
    received += chunk.length;
    if (received > limit) throw tooLarge(limit);
    reader.write(chunk);
  }
  return reader.end();
}

/** Leaves the stream open when the loop ends early: the answer still has to go out on its socket. */
async function* chunksOf(payload: Readable): AsyncGenerator<Buffer> {
  try {
    yield* payload.iterator({ destroyOnReturn: false });
  } catch (cause) {
    throw new ApiError('invalid_request', 'The body was cut off.', { cause });
  }
}

const takesJob = ({ routeOptions }: FastifyRequest) => routeOptions.config.group === 'create-job';
const hasKey = ({ headers }: FastifyRequest) => headers['x-api-key'] !== undefined;
const bodyLimit = (request: FastifyRequest) =>
  hasKey(request) ? LIMITS.bodyBytes : LIMITS.bodyBytesWithoutKey;

function contentLength({ headers }: FastifyRequest): number | undefined {
  const declared = headers['content-length'];
  return declared === undefined ? undefined : Number(declared);
}

function tooLarge(limit: number): ApiError {
  const hint = limit < LIMITS.bodyBytes ? ' Without the X-Api-Key header that is the limit.' : '';
  return new ApiError('payload_too_large', `The body is over ${limit / MB} MB.${hint}`);
}
