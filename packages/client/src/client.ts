import type { CallOptions } from './create-request.ts';
import { createDownload } from './download.ts';
import type { Fetch } from './exchange.ts';
import { createJobs, type Jobs } from './jobs.ts';
import { listPages, type Pages } from './pages.ts';
import { createTransport, type Send } from './transport.ts';
import type {
  Account,
  LedgerEntry,
  LedgerFilters,
  Tool,
  ToolSlug,
  ToolWithOptions,
  WebhookDelivery,
  WebhookDeliveryFilters,
} from './types.ts';
import { webhooks } from './webhooks.ts';

export interface ClientOptions {
  /** An API key of the account. It is sent to `baseUrl` only. */
  apiKey: string;
  /** The base URL of the service, which ends with `/api`. */
  baseUrl: string;
  /** Used instead of the global `fetch`. */
  fetch?: Fetch;
  /**
   * How long one call may take with its retries: two minutes when left out, and ten for the
   * download of a result. `jobs.wait` has a limit of its own.
   */
  timeoutMs?: number;
}

const TIMEOUT_MS = 120_000;
/** A result is paid for, so a slow line gets more time. */
const DOWNLOAD_TIMEOUT_MS = 600_000;

/** A client of the service. It holds no connection and needs no closing. */
export class ImageJobs<Path extends string = never> {
  readonly jobs: Jobs<Path>;
  readonly webhooks = webhooks;
  readonly #send: Send;

  /**
   * @param open opens a file by its path; `image-job/node` has it
   * @throws {TypeError} for a key or a URL that cannot be used
   */
  constructor(options: ClientOptions, open: (path: Path) => Promise<Blob> = refusePath) {
    const { timeoutMs, fetch = (url, init) => globalThis.fetch(url, init) } = options;
    this.#send = createTransport({
      baseUrl: usableUrl(options.baseUrl),
      apiKey: usableKey(options.apiKey),
      fetch,
      timeoutMs: timeoutMs ?? TIMEOUT_MS,
    });
    const download = createDownload({ fetch, timeoutMs: timeoutMs ?? DOWNLOAD_TIMEOUT_MS });
    this.jobs = createJobs({ send: this.#send, download, open });
  }

  async account({ signal }: CallOptions = {}): Promise<Account> {
    return (await this.#send<Account>({ path: '/v1/account', signal })).body;
  }

  /** Every tool that the key can call, with its price. */
  async tools({ signal }: CallOptions = {}): Promise<Tool[]> {
    return (await this.#send<Tool[]>({ path: '/v1/tools', signal })).body;
  }

  /** Every tool, with its title, its description and its options as JSON Schema. */
  async toolsWithOptions({ signal }: CallOptions = {}): Promise<ToolWithOptions[]> {
    const query = { expand: 'options' };
    return (await this.#send<ToolWithOptions[]>({ path: '/v1/tools', query, signal })).body;
  }

  /** One tool, with its options as JSON Schema. */
  async tool(slug: ToolSlug | (string & {}), { signal }: CallOptions = {}): Promise<ToolWithOptions> {
    const path = `/v1/tools/${encodeURIComponent(slug)}`;
    return (await this.#send<ToolWithOptions>({ path, signal })).body;
  }

  /** The changes of the balance. */
  ledger(filters: LedgerFilters = {}, { signal }: CallOptions = {}): Pages<LedgerEntry> {
    const call = { path: '/v1/ledger', query: filters, signal };
    return listPages<LedgerEntry>(this.#send, call, ({ id }) => id);
  }

  /** The events that were sent to webhooks, with every attempt. */
  webhookDeliveries(
    filters: WebhookDeliveryFilters = {},
    { signal }: CallOptions = {},
  ): Pages<WebhookDelivery> {
    const call = { path: '/v1/webhook-deliveries', query: filters, signal };
    return listPages<WebhookDelivery>(this.#send, call, ({ id }) => id);
  }
}

async function refusePath(): Promise<Blob> {
  throw new TypeError('A path needs the ImageJobs of image-job/node; elsewhere, pass the bytes or a URL.');
}

/** The message of `fetch` would contain the key. This message does not. */
function usableKey(key: string): string {
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new TypeError('apiKey is empty, or has characters that no API key has.');
  return key;
}

/** The messages contain no part of the URL, which may have a password. */
function usableUrl(url: string): string {
  const isHttp = URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
  if (!isHttp) throw new TypeError('baseUrl must be an http or https URL that ends with /api.');
  const { href, username, password } = new URL(url);
  if (`${username}${password}` !== '')
    throw new TypeError('baseUrl must have no user name or password: fetch refuses them. Remove them.');
  if (/[?#]/.test(href)) throw new TypeError('baseUrl must end with /api: remove everything from ? or # on.');
  let { length } = href;
  while (href[length - 1] === '/') length -= 1;
  return href.slice(0, length);
}
