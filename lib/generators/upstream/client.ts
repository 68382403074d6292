import { type Egress, EgressError, type EgressFailure, ExchangeError } from '../../egress/egress.ts';
import { GeneratorError, NotSent } from '../errors.ts';
import type { UpstreamRequest } from '../port.ts';
import { type FailureRow, failureOf, type UpstreamResponse } from './classify.ts';
import { parseJson } from './json.ts';
import { createQuote } from './quote.ts';

/** Times in milliseconds. */
export interface UpstreamTiming {
  /** Between the first polls of a task, with jitter. */
  pollMs: number;
  /** Time limit of a call that submits a task, polls it or cancels it. */
  shortMs: number;
  /** Time limit of a call that returns the image itself. */
  longMs: number;
  downloadMs: number;
}

export const TIMING: UpstreamTiming = { pollMs: 1000, shortMs: 15_000, longMs: 180_000, downloadMs: 60_000 };

export interface UpstreamClientOptions {
  /** Name of the generator, for messages. */
  name: string;
  egress: Egress;
  /** Without a trailing slash. */
  baseUrl: string;
  /** Sent to the origin of `baseUrl`, and to hosts under `keyDomain` over https, only. */
  credentials: Readonly<Record<string, string>>;
  /** The upstream's own domain, if it has several hosts. */
  keyDomain?: string;
  /** Failures of this upstream. They are looked up before COMMON_ROWS. */
  rows: readonly FailureRow[];
  timing: UpstreamTiming;
}

/**
 * What a call is made for. If the upstream quotes the instruction, no message contains the
 * quotation.
 */
export type CallContext = Pick<UpstreamRequest, 'signal' | 'instruction'>;

export interface UpstreamCall extends CallContext {
  method: 'GET' | 'POST' | 'PUT';
  /** Path below the base URL with a leading slash, or a whole URL that the upstream has named. */
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  json?: unknown;
  body?: Buffer;
  /** Whether the call makes the upstream create an image. */
  submits?: boolean;
  /** The status says how a task has ended: a failure is a failure of the task, not of the call. */
  endsTask?: boolean;
  /** The response is the image itself, which takes a while. */
  slow?: boolean;
  /**
   * Most bytes of the response. By default 16 MB, because some responses contain the request; 64 MB
   * if `slow`.
   */
  maxBytes?: number;
}

/** The HTTP calls of one upstream. */
export interface UpstreamClient {
  /**
   * Returns a 2xx response.
   * @throws GeneratorError for every other status and every failure of the network
   */
  call(call: UpstreamCall): Promise<UpstreamResponse>;
  /**
   * The failure that a response stands for. A 2xx response fails if its body says that there is no
   * image. The message quotes `cause`, or the body.
   */
  failure(response: UpstreamResponse, cause?: string): GeneratorError;
  /**
   * Downloads a result from a public URL.
   * @throws GeneratorError, `lost` when the URL no longer has it
   */
  download(url: string, signal: AbortSignal): Promise<Buffer>;
}

const MB = 1024 * 1024;
const MAX_BYTES = { short: 16 * MB, slow: 64 * MB };
export const MAX_IMAGE_BYTES = 40 * MB;

/** Failures of a download that a later try has as well. */
const UNUSABLE = new Set<EgressFailure>(['refused', 'redirects', 'too_large', 'content_encoding']);
/** Statuses of a result whose signature has expired, or that was deleted. */
const GONE: ReadonlySet<number | undefined> = new Set([403, 404, 410]);

export function createUpstreamClient(options: UpstreamClientOptions): UpstreamClient {
  const { name, egress, baseUrl, rows, timing } = options;
  const base = new URL(baseUrl);
  const credentials = Object.values(options.credentials);

  function failed(error: unknown, signal: AbortSignal, { submits = false, isSent = true } = {}): unknown {
    if (signal.aborted) return submits && !isSent ? new NotSent(signal.reason) : signal.reason;
    if (!(error instanceof EgressError)) return error;
    // Egress refuses only an address that the upstream has named. Its task cannot be asked for
    // again.
    const mayBeCharged =
      error.kind === 'refused' || (submits && error instanceof ExchangeError && error.sent);
    const message = `${name} could not be reached: ${error.message}`;
    return new GeneratorError({ kind: 'unavailable' }, message, { cause: error, mayBeCharged });
  }

  /**
   * @throws GeneratorError if the upstream has named no valid URL: its task cannot be asked for
   * again
   */
  function urlOf(target: string): URL {
    if (target.startsWith('/')) return new URL(`${baseUrl}${target}`);
    if (URL.canParse(target)) return new URL(target);
    const message = `${name} named an address that is no URL.`;
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
      instruction,
      signal,
      method,
    }) {
      const url = urlOf(target);
      const content = json === undefined ? body : JSON.stringify(json);
      let isSent = false;
      const raw = await egress
        .exchange({
          method,
          signal,
          timeoutMs: slow ? timing.longMs : timing.shortMs,
          url: url.href,
          headers: {
            ...(json === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
            ...(mayHaveKey(url, base, options.keyDomain) ? options.credentials : {}),
          },
          ...(content === undefined ? {} : { body: content }),
          maxResponseBytes: maxBytes,
          onSend() {
            isSent = true;
          },
        })
        .catch((error: unknown) => {
          throw failed(error, signal, { submits, isSent });
        });
      const quote = createQuote(credentials, instruction);
      const response = { ...raw, json: parseJson(raw.body), quote, submits };
      if (raw.status >= 200 && raw.status < 300) return response;
      throw failureOf(name, rows, response, { endsTask });
    },

    failure: (response, cause) => failureOf(name, rows, response, cause === undefined ? {} : { cause }),

    async download(url, signal) {
      const limits = { signal, timeoutMs: timing.downloadMs, maxBytes: MAX_IMAGE_BYTES, redirects: 3 };
      try {
        return (await egress.fetch(url, limits)).body;
      } catch (error) {
        throw withoutResult(name, error) ?? failed(error, signal);
      }
    },
  };
}

/** The failure of a download that cannot succeed later; undefined for any other. */
function withoutResult(name: string, cause: unknown): GeneratorError | undefined {
  if (!(cause instanceof EgressError)) return undefined;
  if (GONE.has(cause.status)) {
    const message = `The result of ${name} is gone: its host responded ${cause.status}.`;
    return new GeneratorError({ kind: 'lost' }, message, { mayBeCharged: true, upstreamWorks: true });
  }
  if (!UNUSABLE.has(cause.kind)) return undefined;
  const message = `${name} named a result that cannot be downloaded: ${cause.message}`;
  return new GeneratorError({ kind: 'refused', reason: 'no_result' }, message, { cause });
}

/** A key goes to the configured origin, or over https to a host of the upstream's own domain. */
function mayHaveKey(url: URL, base: URL, domain: string | undefined): boolean {
  if (url.origin === base.origin) return true;
  if (domain === undefined || url.protocol !== 'https:' || url.port !== '') return false;
  return url.hostname === domain || url.hostname.endsWith(`.${domain}`);
}
