import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/errors.ts';
import type { ErrorEnvelope } from '../../contract/schemas.ts';
import { reasonsOf } from '../../log-error.ts';

/** Parts of a path that are shown: short words, and ids. Whatever else stands there may be a misplaced key. */
const SHOWN = /^(?:[A-Za-z0-9._-]{0,16}|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$/;
const PARTS_SHOWN = 8;

/** Turns everything that is thrown, and every unknown route, into the one envelope. */
export function registerErrors(app: FastifyInstance, publicUrl: string): void {
  const send = (error: ApiError, request: FastifyRequest, reply: FastifyReply) => {
    if (error.status >= 500) request.log.error({ err: error.cause ?? error }, error.message);
    // A refusal's message may quote what was sent.
    else request.log.info({ code: error.code, reasons: reasonsOf(error.cause) }, 'refused');
    if (error.retryAfter !== undefined) reply.header('Retry-After', error.retryAfter);
    return reply.code(error.status).send(envelope(error, publicUrl));
  };
  app.setErrorHandler<FastifyError>((error, request, reply) => send(toApiError(error), request, reply));
  app.setNotFoundHandler((request, reply) =>
    send(new ApiError('not_found', `There is no ${request.method} ${pathOf(request)}.`), request, reply),
  );
}

export function envelope({ code, message }: ApiError, publicUrl: string): ErrorEnvelope {
  return { error: { code, message, doc_url: `${publicUrl}/docs/errors#${code}` } };
}

/** Fastify's own errors by their code; whatever is not known is ours and stays inside. */
function toApiError(error: FastifyError | ApiError): ApiError {
  if (error instanceof ApiError) return error;
  const cause = { cause: error };
  if (error.validation !== undefined) return fromValidation(error);
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ApiError('payload_too_large', 'The request body is too large.', cause);
  if (error.code?.startsWith('FST_') && (error.statusCode ?? 500) < 500)
    return new ApiError('invalid_request', error.message, cause);
  return new ApiError('internal_error', 'The service failed. Retry with the same Idempotency-Key.', cause);
}

/** A path parameter of the wrong form names nothing; anything else that is malformed is the caller's mistake. */
function fromValidation(error: FastifyError): ApiError {
  const cause = { cause: error };
  if (error.validationContext === 'params')
    return new ApiError('job_not_found', 'There is no such job.', cause);
  const [first] = error.validation ?? [];
  const path = first?.instancePath.slice(1).replaceAll('/', '.') || String(error.validationContext);
  const where = error.validationContext === 'headers' ? headerName(path) : path;
  return new ApiError('invalid_request', `${where}: ${first?.message ?? error.message}.`, cause);
}

/** `idempotency-key` as people write it: `Idempotency-Key`. */
const headerName = (lower: string) => lower.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());

/** The path as it was sent, before the router's rewriting, as far as it can't hold a secret; without the query. */
export function pathOf({ originalUrl }: FastifyRequest): string {
  const parts = originalUrl
    .split('?', 1)
    .join('')
    .split('/', PARTS_SHOWN + 1);
  const shown = parts.slice(0, PARTS_SHOWN).map((part) => (SHOWN.test(part) ? part : '*'));
  return shown.join('/');
}
