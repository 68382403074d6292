import { ImageJobError } from './errors.ts';
import type { ErrorCode } from './types.ts';

interface Envelope {
  error: { code: ErrorCode; message: string; doc_url: string };
}

interface Exchange {
  mayHaveRun: boolean;
  /** Texts that an answer may echo, and that no message may show. */
  apiKey: string;
}

/**
 * The body of a 2xx response; undefined when it is empty.
 * @throws {ImageJobError} for any other response, and for a body that is not JSON
 */
export function readAnswer<T>(response: Response, text: string, { mayHaveRun, apiKey }: Exchange): T {
  const body = parse(text);
  const details = {
    status: response.status,
    requestId: response.headers.get('X-Request-Id') ?? undefined,
    retryAfterMs: retryAfterOf(response.headers),
    mayHaveRun,
  };
  if (response.ok && (body !== undefined || text === '')) return body as T;
  const redacted = (message: string) => message.replaceAll(apiKey, '[API key]');
  if (!response.ok && isEnvelope(body)) {
    const { code, message, doc_url: docUrl } = body.error;
    throw new ImageJobError(redacted(message), { ...details, code, docUrl });
  }
  const message = isRedirect(response) ? redirectMessage(response) : foreignMessage(response, text);
  throw new ImageJobError(redacted(message), { ...details, code: 'unexpected_response' });
}

/** A browser tells only the type of a redirect. */
function isRedirect({ type, status, headers }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400 && headers.has('Location'));
}

/** Only the origin: the rest may contain a session or a password. */
function redirectMessage({ status, headers }: Response): string {
  const location = headers.get('Location') ?? '';
  const target = URL.canParse(location) ? ` to ${new URL(location).origin}` : '';
  return `${status}: baseUrl redirects${target}, and the API key is not sent on. Set baseUrl to the final URL.`;
}

/**
 * Only the title of a page: an error page may echo the request with the API key, in any encoding.
 */
function foreignMessage({ status, headers }: Response, text: string): string {
  const type = headers.get('Content-Type')?.split(';')[0];
  const title = /<title>([^<]{1,200})/i.exec(text.slice(0, 10_000))?.[1]?.trim();
  const shown = title ?? (/^[\w ,.'-]{1,80}$/.test(text.trim()) ? text.trim() : type);
  return `${status}, not from the service${shown === undefined ? '' : `: ${shown}`}. Check baseUrl and any proxy.`;
}

/** In milliseconds. The service sends whole seconds. The date of a proxy is ignored. */
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
  return typeof error === 'object' && error !== null && 'code' in error && hasMessage(error);
}

function hasMessage(error: object): boolean {
  return 'message' in error && typeof error.message === 'string';
}
