import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import type { BenchEnvironment } from '../environment.ts';
import { callerHeaders, createCallers } from '../requests.ts';

const POLL_MS = 50;
/** No other account's address. */
const ATTACKER_ADDRESS = '10.9.9.9';

/** An expensive request, which is sent with a valid key. */
export interface HostileRequest {
  name: string;
  method: 'GET' | 'POST';
  /** Path and query, `/api/v1/...`. */
  target: string;
  headers: Readonly<Record<string, string>>;
  /** Built on demand: some are 30 MB. */
  body?: () => Buffer | Promise<Buffer>;
  /** Bytes per HTTP chunk; without it, the body has a Content-Length. */
  chunked?: number;
}

/** A POST of a job. */
export const jobRequest = (name: string, body: () => Buffer | Promise<Buffer>): HostileRequest => ({
  name,
  method: 'POST',
  target: '/api/v1/jobs',
  headers: { 'content-type': 'application/json' },
  body,
});

export interface Attacker extends AsyncDisposable {
  /**
   * Sends the request and waits for its job.
   * @returns the error code, the status, or the end of the job
   */
  send(): Promise<string>;
}

/** Prepares a request of a new account. It has no pack, so its results have a watermark. */
export async function createAttacker(
  environment: BenchEnvironment,
  origin: string,
  { method, target, headers, body, chunked }: HostileRequest,
): Promise<Attacker> {
  const bytes = await body?.();
  const callers = await createCallers(environment, 1, { images: 0 });
  const own = { ...callerHeaders(callers, 0), 'x-forwarded-for': ATTACKER_ADDRESS };
  const pool = new Pool(origin, { connections: 16 });
  const payload = () =>
    bytes === undefined || chunked === undefined
      ? bytes
      : Readable.from(inChunks(bytes, chunked), { objectMode: false });

  async function endOf(jobId: string): Promise<string> {
    for (;;) {
      const job = await environment.stores.jobs.get(jobId);
      if (job !== undefined && job.status !== 'processing') return job.status;
      await delay(POLL_MS);
    }
  }

  return {
    async send() {
      try {
        const options = { method, path: target, headers: { ...own, ...headers }, body: payload() ?? null };
        const response = await pool.request(options);
        const { job_id, error } = parsed(await response.body.text());
        return job_id === undefined ? (error?.code ?? String(response.statusCode)) : await endOf(job_id);
      } catch {
        return 'cut off';
      }
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}

function parsed(text: string): { job_id?: string; error?: { code: string } } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
