/**
 * What went wrong on the way out. `refused` and `unresolved` concern the URL's host, `connect` and `tls` the
 * connection, the rest the answer; `protocol` is an answer that is no complete HTTP message.
 */
export type EgressFailure =
  | 'refused'
  | 'unresolved'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'too_large'
  | 'redirects'
  | 'status'
  | 'content_type'
  | 'content_encoding'
  | 'content'
  | 'protocol';

/**
 * `message` is a sentence for the caller who sent the URL and names no address; `cause` is for the log only.
 * `status` is the answer's, set for the kind `status` alone.
 */
export class EgressError extends Error {
  override readonly name = 'EgressError';
  readonly kind: EgressFailure;
  readonly status: number | undefined;

  constructor(kind: EgressFailure, message: string, options: ErrorOptions & { status?: number } = {}) {
    super(message, options);
    this.kind = kind;
    this.status = options.status;
  }
}

/** Turns whatever undici, node:net or node:tls threw into an {@link EgressError}. */
export function toEgressError(error: unknown): EgressError {
  if (error instanceof EgressError) return error;
  const code = codeOf(error);
  if (CONNECT_CODES.has(code))
    return new EgressError('connect', 'The server could not be reached.', { cause: error });
  if (TLS_CODES.test(code)) {
    const detail = `The secure connection failed (${code}). Check the server's certificate.`;
    return new EgressError('tls', detail, { cause: error });
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new EgressError('protocol', "The answer's headers are too large.", { cause: error });
  const message = 'The server broke the connection off or did not answer with valid HTTP.';
  return new EgressError('protocol', message, { cause: error });
}

const CONNECT_CODES = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EACCES',
  'EPERM',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);
/** OpenSSL's and Node's names share no prefix: CERT_HAS_EXPIRED, UNABLE_TO_GET_ISSUER_CERT, ERR_SSL_..., EPROTO. */
const TLS_CODES =
  /^ERR_TLS|^ERR_SSL|^EPROTO$|CERT|ISSUER|SIGNATURE|^INVALID_(CA|PURPOSE)$|^HOSTNAME_MISMATCH$/;

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  // Several addresses tried and failed arrive as one AggregateError; the first says enough.
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error && 'code' in first ? String(first.code) : '';
}
