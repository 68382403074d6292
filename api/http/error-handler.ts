import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchemaValidationError,
} from 'fastify';
import { internalError, invalidRequest, jobNotFound, routeNotFound } from '../../lib/contract/api-errors.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import type { ErrorEnvelope } from '../../lib/contract/schemas.ts';
import { reasonsOf } from '../../lib/process/log.ts';
import { type Metrics, NO_METRICS } from '../../lib/telemetry/metrics/metrics.ts';

/**
 * Path segments that may be logged: short words and ids. Any other segment may be a misplaced key.
 */
const LOGGABLE = /^(?:[A-Za-z0-9._-]{0,16}|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$/;
const MAX_SEGMENTS = 8;

/** Maps every thrown error and every unknown route to the error envelope. */
export function registerErrors(app: FastifyInstance, publicUrl: string, metrics: Metrics = NO_METRICS): void {
  const send = (error: ApiError, request: FastifyRequest, reply: FastifyReply) => {
    if (error.status >= 500) request.log.error({ err: error.cause ?? error }, error.message);
    // The message of a 4xx may quote the request, so it is not logged.
    else request.log.info({ code: error.code, reasons: reasonsOf(error.cause) }, 'request rejected');
    if (error.limit !== undefined) metrics.add('imagejob_rate_limited_total', { limit: error.limit });
    if (error.retryAfter !== undefined) reply.header('Retry-After', error.retryAfter);
    return reply.code(error.status).send(envelope(error, publicUrl));
  };
  app.setErrorHandler<FastifyError>((error, request, reply) => send(toApiError(error), request, reply));
  app.setNotFoundHandler((request, reply) =>
    send(routeNotFound(request.method, pathOf(request)), request, reply),
  );
}

export function envelope({ code, message }: ApiError, publicUrl: string): ErrorEnvelope {
  return { error: { code, message, doc_url: `${publicUrl}/docs/errors#${code}` } };
}

/**
 * Fastify's errors are mapped by their code. Any other error is a fault of the service and its
 * message is not sent.
 */
function toApiError(error: FastifyError | ApiError): ApiError {
  if (error instanceof ApiError) return error;
  const cause = { cause: error };
  if (error.validation !== undefined) return fromValidation(error);
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ApiError('payload_too_large', 'The request body is too large.', cause);
  if (error.code?.startsWith('FST_') && (error.statusCode ?? 500) < 500)
    return new ApiError('invalid_request', error.message, cause);
  return internalError(cause);
}

/** A malformed path parameter is an unknown id; any other validation error is `invalid_request`. */
function fromValidation(error: FastifyError): ApiError {
  const cause = { cause: error };
  if (error.validationContext === 'params') return jobNotFound(cause);
  const [first] = error.validation ?? [];
  return invalidPart(String(error.validationContext), first, cause);
}

/**
 * @param part of the request: body, querystring or headers.
 * @param problem the first one that the validator found
 */
export function invalidPart(
  part: string,
  problem: Pick<FastifySchemaValidationError, 'instancePath' | 'message'> | undefined,
  options?: ErrorOptions,
): ApiError {
  const path = problem?.instancePath.slice(1).replaceAll('/', '.') || part;
  const where = part === 'headers' ? headerName(path) : path;
  return invalidRequest(`${where}: ${problem?.message ?? 'is not valid'}.`, options);
}

/** `idempotency-key` -> `Idempotency-Key`. */
const headerName = (lower: string) => lower.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());

/**
 * The path as received, before rewriting, without the query; segments that may hold a secret are
 * replaced by `*`.
 */
export function pathOf({ originalUrl }: FastifyRequest): string {
  const segments = originalUrl.split('?', 1).join('').split('/', MAX_SEGMENTS);
  return segments.map((segment) => (LOGGABLE.test(segment) ? segment : '*')).join('/');
}
