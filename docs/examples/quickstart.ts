// Runs one image through one tool: tsx docs/examples/quickstart.ts API_BASE API_KEY IMAGE
// Needs nothing but fetch; take what you need into your own program.
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

interface Job {
  job_id: string;
  status: 'processing' | 'completed' | 'failed';
  result_urls: string[];
  error: string | null;
}

const POLL_MS = 2000;
const ATTEMPTS = 5;

const [base, apiKey, image] = process.argv.slice(2);
if (base === undefined || apiKey === undefined || image === undefined)
  throw new Error('Usage: quickstart.ts API_BASE API_KEY IMAGE');

const created = await request<Job>(`${base}/v1/jobs`, {
  method: 'POST',
  headers: {
    'Content-Type': 'application/json',
    // The same record gives the same key, so running this twice gives one job and one charge.
    'Idempotency-Key': `quickstart-${basename(image)}`,
  },
  body: JSON.stringify({
    tool: 'image-enhancement',
    image_base64: (await readFile(image)).toString('base64'),
  }),
});
const job = await ended(created.job_id);
if (job.status === 'failed') throw new Error(`The job failed and was refunded: ${job.error}`);
process.stdout.write(`${job.result_urls.join('\n')}\n`);

async function ended(jobId: string): Promise<Job> {
  for (;;) {
    const job = await request<Job>(`${base}/v1/jobs/${jobId}`);
    if (job.status !== 'processing') return job;
    await sleep(POLL_MS);
  }
}

/** Sends a request; what can succeed later is sent again, as told by Retry-After or at growing intervals. */
async function request<T>(url: string, init: RequestInit = {}): Promise<T> {
  const headers = { ...init.headers, 'X-Api-Key': apiKey ?? '' };
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url, { ...init, headers }).catch((error: unknown) => {
      if (attempt === ATTEMPTS) throw error;
    });
    if (response?.ok) return (await response.json()) as T;
    const again = response === undefined || response.status === 429 || response.status >= 500;
    if (!again || attempt === ATTEMPTS)
      throw new Error(`${url} answered ${response?.status}: ${await response?.text()}`);
    const seconds = Number(response?.headers.get('Retry-After') ?? 2 ** (attempt - 1));
    await sleep(seconds * 1000);
  }
}
