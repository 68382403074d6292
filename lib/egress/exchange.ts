import { type buildConnector, Client } from 'undici';
import type { AllowedOrigins } from './allow-origins.ts';
import { limitBytesRead } from './connector.ts';
import { type Deadline, type TimeLimits, withTimeLimits } from './deadline.ts';
import { EgressError, ExchangeError } from './error.ts';
import { HTTP_OPTIONS, REQUEST_HEADERS, sendRequest } from './http.ts';
import { type EgressResponse, type ResponseHeaders, readWhole } from './response.ts';
import { parsePublicUrl } from './url.ts';

/** Bytes that a response may have besides its body: headers and the framing of chunks. */
const FRAMING_BYTES = 4 * 1024 * 1024;

export interface ExchangeRequest extends TimeLimits {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Most bytes of the response body; a longer body is an error. */
  maxResponseBytes: number;
  /** Called when a connection is open. From then on the server may receive the request. */
  onSend?: () => void;
}

export interface ExchangeResponse {
  status: number;
  headers: ResponseHeaders;
  /** The whole body. A body of an error status may be cut if it ends with the connection. */
  body: Buffer;
}

/**
 * One request, sent at most once, and its response of any status. Follows no redirects.
 * @throws ExchangeError, or the reason of the caller's signal: the request may have been sent by
 * then
 */
export type Exchange = (request: ExchangeRequest) => Promise<ExchangeResponse>;

export interface Exchanges extends AsyncDisposable {
  exchange: Exchange;
}

/**
 * Every exchange opens a connection of its own. It cannot be stale, so a request that may have cost
 * money never fails because the server had closed an idle connection, and no response can be taken
 * for the response of another request.
 */
export function createExchanges(allowed: AllowedOrigins, connect: buildConnector.connector): Exchanges {
  const clients = new Set<Client>();

  async function withClient<T>(
    url: URL,
    dial: buildConnector.connector,
    use: (client: Client) => Promise<T>,
  ) {
    const client = new Client(url.origin, { ...HTTP_OPTIONS, connect: dial });
    clients.add(client);
    try {
      return await use(client);
    } finally {
      clients.delete(client);
      await client.destroy();
    }
  }

  return {
    async exchange(request) {
      let sent = false;
      const onOpen = () => {
        sent = true;
        request.onSend?.();
      };
      try {
        const url = parsePublicUrl(request.url, allowed);
        const limited = limitBytesRead(connect, request.maxResponseBytes + FRAMING_BYTES);
        const dial = notifyOpen(limited, onOpen);
        return await withTimeLimits(request, (deadline) =>
          withClient(url, dial, (client) => transfer(client, url, request, deadline)),
        );
      } catch (error) {
        throw error instanceof EgressError ? new ExchangeError(error, sent) : error;
      }
    },

    async [Symbol.asyncDispose]() {
      await Promise.all([...clients].map((client) => client.destroy()));
    },
  };
}

async function transfer(
  client: Client,
  url: URL,
  request: ExchangeRequest,
  deadline: Deadline,
): Promise<ExchangeResponse> {
  const { method, body = null, maxResponseBytes } = request;
  const headers = { ...REQUEST_HEADERS, ...request.headers };
  const response = await sendRequest(client, url, { method, headers, body, signal: deadline.signal });
  requireDelimitedBody(response);
  // The total time is the only limit: some upstreams send the head first and the body when the
  // result is ready.
  const whole = await readWhole(
    response,
    { maxBytes: maxResponseBytes, slackMs: Number.POSITIVE_INFINITY },
    deadline,
  );
  return { status: response.statusCode, headers: response.headers, body: whole };
}

/** undici writes the request as soon as it has the socket, which is after the TLS handshake. */
function notifyOpen(connect: buildConnector.connector, onOpen: () => void): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...outcome) => {
      if (outcome[0] === null) onOpen();
      callback(...outcome);
    });
}

/**
 * A body that only the end of the connection delimits looks complete when it is cut (RFC 9112, 8).
 * Load balancers send such bodies with error statuses, where only the status matters.
 */
function requireDelimitedBody({ statusCode, headers }: EgressResponse): void {
  const hasBody = statusCode >= 200 && statusCode <= 299 && statusCode !== 204;
  const isChunked = headers['transfer-encoding']?.trim().toLowerCase() === 'chunked';
  if (hasBody && !isChunked && headers['content-length'] === undefined)
    throw new EgressError('protocol', 'The response does not say where its body ends.');
}
