import { type Egress, EgressError, ExchangeError, type ResponseHeaders } from '../../egress/egress.ts';
import { GeneratorError } from '../errors.ts';
import { type FailureRow, failureOf } from './classify.ts';

/** Milliseconds. */
export interface UpstreamTiming {
  /** Between the polls of a task, at first; jittered. */
  pollMs: number;
  /** Time limit of calls that submit a task, look at it or cancel it. */
  shortMs: number;
  /** Time limit of a call that returns the image itself. */
  longMs: number;
  downloadMs: number;
}

export const TIMING: UpstreamTiming = { pollMs: 1000, shortMs: 15_000, longMs: 180_000, downloadMs: 60_000 };

export interface ClientOptions {
  /** Name of the generator, for messages. */
  name: string;
  egress: Egress;
  /** Without a trailing slash. */
  baseUrl: string;
  /** Sent to the origin of `baseUrl`, and to hosts under `keyDomain` over https, only. */
  credentials: Readonly<Record<string, string>>;
  /** The upstream's own domain, where it answers from several hosts. */
  keyDomain?: string;
  /** Failures of this upstream, before those that all have in common. */
  rows: readonly FailureRow[];
  timing: UpstreamTiming;
}

export interface UpstreamCall {
  method: 'GET' | 'POST' | 'PUT';
  /** Path below the base URL with a leading slash, or a whole URL that the upstream has named. */
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  json?: unknown;
  body?: Buffer;
  /** Whether the call makes the upstream create an image. */
  submits?: boolean;
  /** The status says how a task has ended, so a failure is the task's and not that of the call. */
  endsTask?: boolean;
  /** The response is the image itself, which takes a while. */
  slow?: boolean;
  /** Most bytes of the response; 1 MB by default, 64 MB where it is `slow`. */
  maxBytes?: number;
  signal: AbortSignal;
}

export interface UpstreamResponse {
  status: number;
  /** Names in lower case. */
  headers: ResponseHeaders;
  body: Buffer;
  /** The parsed body; undefined when it is no JSON. */
  json: unknown;
  /** The beginning of the body for messages, without secrets and image bytes. */
  excerpt: string;
  /** Whether it answers a call that submits. */
  submits?: boolean;
}

/** The HTTP calls of one upstream. */
export interface UpstreamClient {
  /** Returns a 2xx response. @throws GeneratorError for every other status and every failure of the network */
  call(call: UpstreamCall): Promise<UpstreamResponse>;
  /**
   * The failure that stands for a response, also for a 2xx one whose body says that there is no image. Its message
   * quotes `cause`, or the beginning of the body.
   */
  failure(response: UpstreamResponse, cause?: string): GeneratorError;
  /** Downloads a result from a public URL. @throws GeneratorError */
  download(url: string, signal: AbortSignal): Promise<Buffer>;
}

const MB = 1024 * 1024;
const MAX_BYTES = { short: MB, slow: 64 * MB };
export const MAX_IMAGE_BYTES = 40 * MB;
/** Values of a JSON body, about: an image is one of them. Parsing millions blocks the process for a minute. */
const MAX_VALUES = 50_000;
const EXCERPT_LENGTH = 500;
const [COMMA, BRACKET, BRACE] = Buffer.from(',[{');

export function createUpstreamClient(options: ClientOptions): UpstreamClient {
  const { name, egress, baseUrl, rows, timing } = options;
  const base = new URL(baseUrl);
  const redact = redactor(Object.values(options.credentials));

  function failed(error: unknown, signal: AbortSignal, submits: boolean): unknown {
    if (signal.aborted) return signal.reason;
    if (!(error instanceof EgressError)) return error;
    const mayBeCharged = submits && error instanceof ExchangeError && error.sent;
    const message = `${name} could not be reached: ${redact(error.message)}`;
    return new GeneratorError({ kind: 'unavailable' }, message, { cause: error, mayBeCharged });
  }

  /** @throws GeneratorError for a URL of the upstream that is none: the task cannot be asked for again */
  function urlOf(target: string): URL {
    if (target.startsWith('/')) return new URL(`${baseUrl}${target}`);
    if (URL.canParse(target)) return new URL(target);
    const message = `${name} named an address that is none: ${excerptOf(target.slice(0, EXCERPT_LENGTH), redact)}`;
    throw new GeneratorError({ kind: 'unavailable' }, message, { mayBeCharged: true });
  }

  return {
    async call({
      url: target,
      json,
      body,
      headers,
      submits = false,
      endsTask = false,
      slow = false,
      maxBytes = slow ? MAX_BYTES.slow : MAX_BYTES.short,
      ...rest
    }) {
      const url = urlOf(target);
      const content = json === undefined ? body : JSON.stringify(json);
      const raw = await egress
        .exchange({
          ...rest,
          timeoutMs: slow ? timing.longMs : timing.shortMs,
          url: url.href,
          headers: {
            ...(json === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
            ...(mayHaveKey(url, base, options.keyDomain) ? options.credentials : {}),
          },
          ...(content === undefined ? {} : { body: content }),
          maxResponseBytes: maxBytes,
        })
        .catch((error: unknown) => {
          throw failed(error, rest.signal, submits);
        });
      const excerpt = excerptOf(startOf(raw.body), redact);
      const response = { ...raw, json: parsed(raw.body), excerpt, submits };
      if (raw.status >= 200 && raw.status < 300) return response;
      throw failureOf(name, rows, response, endsTask);
    },

    failure: (response, cause) =>
      failureOf(name, rows, { ...response, excerpt: cause ? excerptOf(cause, redact) : response.excerpt }),

    async download(url, signal) {
      const limits = { signal, timeoutMs: timing.downloadMs, maxBytes: MAX_IMAGE_BYTES, redirects: 3 };
      const { body } = await egress.fetch(url, limits).catch((error: unknown) => {
        throw failed(error, signal, false);
      });
      return body;
    },
  };
}

/** A key goes to the configured origin, or over https to a host of the upstream's own domain. */
function mayHaveKey(url: URL, base: URL, domain: string | undefined): boolean {
  if (url.origin === base.origin) return true;
  if (domain === undefined || url.protocol !== 'https:' || url.port !== '') return false;
  return url.hostname === domain || url.hostname.endsWith(`.${domain}`);
}

function parsed(body: Buffer): unknown {
  if (hasManyValues(body)) return undefined;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Counts the bytes that begin a value, in strings too: base64 has none of them. */
function hasManyValues(body: Buffer): boolean {
  let values = 0;
  for (const byte of body) {
    if (byte !== COMMA && byte !== BRACKET && byte !== BRACE) continue;
    values += 1;
    if (values > MAX_VALUES) return true;
  }
  return false;
}

const startOf = (body: Buffer) => body.subarray(0, 64 * 1024).toString('utf8');

const excerptOf = (text: string, redact: (text: string) => string) => redact(text).slice(0, EXCERPT_LENGTH);

/** Removes secrets, long runs that may be base64, and control characters. */
function redactor(secrets: readonly string[]): (text: string) => string {
  const values = secrets.flatMap((secret) => [secret, secret.replace(/^\w+ /, '')]).filter(Boolean);
  return (text) =>
    values
      .reduce((rest, value) => rest.replaceAll(value, '[redacted]'), text)
      .replace(/[A-Za-z0-9+/=_-]{100,}/g, '[data]')
      .replace(/\p{Cc}+/gu, ' ');
}
