import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/errors.ts';
import type { ErrorEnvelope } from '../../contract/schemas.ts';

const PATH_SHOWN = 200;

/** Turns everything that is thrown, and every unknown route, into the one envelope. */
export function registerErrors(app: FastifyInstance, publicUrl: string): void {
  const send = (error: ApiError, request: FastifyRequest, reply: FastifyReply) => {
    if (error.status >= 500) request.log.error({ err: error.cause ?? error }, error.message);
    else request.log.info({ code: error.code, err: error.cause }, error.message);
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

/** The path as it was sent, before the router's rewriting; without the query, which may hold a misplaced key. */
export const pathOf = ({ originalUrl }: FastifyRequest) =>
  originalUrl.split('?', 1).join('').slice(0, PATH_SHOWN);
