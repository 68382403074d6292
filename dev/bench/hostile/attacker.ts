import { setTimeout as delay } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';
import { digestApiKey, issueApiKey } from '../../../lib/domain/api-key.ts';
import type { BenchEnvironment } from '../environment.ts';

const POLL_MS = 50;

/** A hostile account. */
export interface Attacker extends AsyncDisposable {
  readonly origin: string;
  readonly apiKey: string;
  /** Posts a body and waits until its job has ended. @returns the error code, or the status of the job */
  post(body: Buffer | string, headers?: Record<string, string>): Promise<string>;
  /** Sends any request, with its target unchanged. */
  request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>;
}

/** Creates an account with only the free images, so that its results have a watermark. */
export async function createAttacker(
  { stores, config }: BenchEnvironment,
  origin: string,
): Promise<Attacker> {
  const { id: accountId } = await stores.accounts.create({
    name: 'Attacker',
    webhookUrl: null,
    webhookSecret: 'whsec_YmVuY2g=',
  });
  const apiKey = issueApiKey(config.keyPrefix);
  await stores.keys.create({
    accountId,
    name: 'Attacker',
    digest: digestApiKey(apiKey),
    hint: apiKey.slice(0, 8),
    retentionDays: null,
  });
  const pool = new Pool(origin, { connections: 16 });

  async function endOf(jobId: string): Promise<string> {
    for (;;) {
      const job = await stores.jobs.get(jobId);
      if (job !== undefined && job.status !== 'processing') return job.status;
      await delay(POLL_MS);
    }
  }

  return {
    origin,
    apiKey,
    request: (options) => pool.request(options),
    async post(body, headers = {}) {
      const response = await pool.request({
        method: 'POST',
        path: '/api/v1/jobs',
        headers: {
          'x-api-key': apiKey,
          'x-forwarded-for': '10.9.9.9',
          'content-type': 'application/json',
          ...headers,
        },
        body,
      });
      const json = (await response.body.json()) as { job_id?: string; error?: { code: string } };
      return json.job_id === undefined
        ? (json.error?.code ?? String(response.statusCode))
        : endOf(json.job_id);
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}
