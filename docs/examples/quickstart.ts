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

/** Body of every response that is not 2xx. */
interface ErrorBody {
  error: { code: string; message: string; doc_url: string };
}

const POLL_MS = 2000;
const ATTEMPTS = 5;

const [base, apiKey, image] = process.argv.slice(2);
try {
  if (base === undefined || apiKey === undefined || image === undefined)
    throw new Error('Usage: quickstart.ts API_BASE API_KEY IMAGE');
  process.stdout.write(`${(await run(base, image)).join('\n')}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

/** @returns the URLs of the results */
async function run(apiBase: string, file: string): Promise<string[]> {
  const created = await request<Job>(`${apiBase}/v1/jobs`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      // The same record gives the same key, so running this twice gives one job and one charge.
      'Idempotency-Key': `quickstart-${basename(file)}`,
    },
    body: JSON.stringify({
      tool: 'image-enhancement',
      image_base64: (await readFile(file)).toString('base64'),
    }),
  });
  const job = await ended(apiBase, created.job_id);
  if (job.status === 'failed') throw new Error(`The job failed and was refunded: ${job.error}`);
  return job.result_urls;
}

async function ended(apiBase: string, jobId: string): Promise<Job> {
  for (;;) {
    const job = await request<Job>(`${apiBase}/v1/jobs/${jobId}`);
    if (job.status !== 'processing') return job;
    await sleep(POLL_MS);
  }
}

/** Sends a request; what can succeed later is sent again, as told by Retry-After or at growing intervals. */
async function request<T>(url: string, init: RequestInit = {}): Promise<T> {
  const headers = { ...init.headers, 'X-Api-Key': apiKey ?? '' };
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url, { ...init, headers }).catch((error: Error) => error);
    if (!(response instanceof Error) && response.ok) return (await response.json()) as T;
    const again = response instanceof Error || response.status === 429 || response.status >= 500;
    if (!again || attempt === ATTEMPTS) throw new Error(await problemOf(url, response));
    const retryAfter = response instanceof Error ? null : response.headers.get('Retry-After');
    await sleep(Number(retryAfter ?? 2 ** (attempt - 1)) * 1000);
  }
}

/** What went wrong, in one line. */
async function problemOf(url: string, response: Response | Error): Promise<string> {
  if (response instanceof Error) {
    const { cause } = response;
    return `${url} could not be reached: ${cause instanceof Error ? cause.message : response.message}`;
  }
  const body = await response.text();
  try {
    const { code, message, doc_url } = (JSON.parse(body) as ErrorBody).error;
    return `${response.status} ${code}: ${message} See ${doc_url}`;
  } catch {
    return `${url} answered ${response.status}: ${body.slice(0, 200)}`;
  }
}
