/**
 * Why an outbound request failed. `request` means that it cannot be sent as it is. `refused` and
 * `unresolved` concern the URL's host, `connect` and `tls` the connection, the rest the response.
 * `protocol` means that the response is not a complete HTTP message.
 */
export type EgressFailure =
  | 'request'
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
 * `message` is for the caller who sent the URL and contains no address; `cause` is for the log
 * only. `status` is the status code of the response, set for the kind `status` only.
 */
export class EgressError extends Error {
  override readonly name: string = 'EgressError';
  readonly kind: EgressFailure;
  readonly status: number | undefined;

  constructor(kind: EgressFailure, message: string, options: ErrorOptions & { status?: number } = {}) {
    super(message, options);
    this.kind = kind;
    this.status = options.status;
  }
}

/** The failure of an exchange. */
export class ExchangeError extends EgressError {
  override readonly name = 'ExchangeError';
  /**
   * False when no connection was opened, so the server cannot have received the request. True when
   * it may have received all of it, may still process it, and may charge for it.
   */
  readonly sent: boolean;

  constructor({ kind, message, cause }: EgressError, sent: boolean) {
    super(kind, message, { cause });
    this.sent = sent;
  }
}

/** Maps an error of undici, node:net or node:tls to an {@link EgressError}. */
export function toEgressError(error: unknown): EgressError {
  if (error instanceof EgressError) return error;
  const code = codeOf(error);
  if (CONNECT_CODES.has(code))
    return new EgressError('connect', 'Could not connect to the server.', { cause: error });
  if (TLS_CODES.test(code)) {
    const message = `The TLS connection failed (${code}). Check the server's certificate.`;
    return new EgressError('tls', message, { cause: error });
  }
  if (code === 'UND_ERR_INVALID_ARG')
    return new EgressError('request', 'The request has an invalid method, path or header.', { cause: error });
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new EgressError('protocol', 'The headers of the response are too large.', { cause: error });
  const message = 'The server broke the connection off or did not send a valid HTTP response.';
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
/**
 * OpenSSL's and Node's names share no prefix: CERT_HAS_EXPIRED, UNABLE_TO_GET_ISSUER_CERT,
 * ERR_SSL_..., EPROTO.
 */
const TLS_CODES =
  /^ERR_TLS|^ERR_SSL|^EPROTO$|CERT|ISSUER|SIGNATURE|^INVALID_(CA|PURPOSE)$|^HOSTNAME_MISMATCH$/;

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  // When every address of a host fails, the errors arrive as one AggregateError.
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error && 'code' in first ? String(first.code) : '';
}
