import { ImageJobError } from './errors.ts';
import type { ErrorCode } from './types.ts';

interface Envelope {
  error: { code: ErrorCode; message: string; doc_url: string };
}

/**
 * The body of a 2xx response; undefined when it is empty.
 * @throws {ImageJobError} for any other response, and for a body that is not JSON
 */
export function readAnswer<T>(response: Response, text: string, mayHaveRun: boolean): T {
  const body = parse(text);
  const details = {
    status: response.status,
    requestId: response.headers.get('X-Request-Id') ?? undefined,
    retryAfterMs: retryAfterOf(response.headers),
    mayHaveRun,
  };
  if (response.ok && (body !== undefined || text === '')) return body as T;
  if (!response.ok && isEnvelope(body)) {
    const { code, message, doc_url: docUrl } = body.error;
    throw new ImageJobError(message, { ...details, code, docUrl });
  }
  const start = text.trim().slice(0, 200);
  throw new ImageJobError(`${response.status} without the service's body: ${start}`, {
    ...details,
    code: 'unexpected_response',
  });
}

/** In milliseconds. The service sends whole seconds; a proxy may send a date, which is left out of account. */
export function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('Retry-After');
  return value !== null && /^\d{1,6}$/.test(value) ? Number(value) * 1000 : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isEnvelope(body: unknown): body is Envelope {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  return typeof error === 'object' && error !== null && 'code' in error && 'message' in error;
}
