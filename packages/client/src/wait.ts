import { retryAfterOf } from './answer.ts';
import { ImageJobTimeoutError } from './errors.ts';
import { sleep, within } from './time.ts';
import type { Send } from './transport.ts';
import type { Job } from './types.ts';

export interface WaitOptions {
  /**
   * How long to wait for the end of the job: 10 minutes when left out. The job goes on afterwards.
   */
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
  /** Called with the job whenever it was read. */
  onUpdate?: (job: Job) => void;
}

/** The most that the service waits for one response, in seconds. */
const PREFER_SECONDS = 60;
/**
 * Milliseconds between two reads if the service does not wait. Clients must poll every 2 to 5
 * seconds.
 */
const POLL_MS = { shortest: 2_000, longest: 5_000, asked: 30_000 };

/** @throws {ImageJobTimeoutError} when the job is still processing after `timeoutMs` */
export function waitForEnd(
  send: Send,
  jobId: string,
  { timeoutMs = 600_000, signal: outer, onUpdate }: WaitOptions,
): Promise<Job> {
  const endsAt = Date.now() + timeoutMs;
  const reason = () => new ImageJobTimeoutError(`Job ${jobId} is still processing after ${timeoutMs} ms.`);
  return within({ ms: timeoutMs, outer, reason }, async (signal) => {
    for (let reads = 0; ; reads += 1) {
      const began = Date.now();
      const seconds = Math.min(PREFER_SECONDS, Math.ceil((endsAt - began) / 1000));
      const { body: job, headers } = await send<Job>({
        path: `/v1/jobs/${encodeURIComponent(jobId)}`,
        headers: { Prefer: `wait=${Math.max(1, seconds)}` },
        extraMs: seconds * 1000,
        totalMs: endsAt - began,
        signal,
      });
      onUpdate?.(job);
      if (job.status !== 'processing') return job;
      const waited = headers.has('Preference-Applied') && Date.now() - began >= 1000;
      if (!waited) await sleep(pollMs(reads, headers), signal);
    }
  });
}

function pollMs(reads: number, headers: Headers): number {
  const asked = retryAfterOf(headers);
  if (asked !== undefined) return Math.min(POLL_MS.asked, Math.max(POLL_MS.shortest, asked));
  const step = Math.min(POLL_MS.longest - 1000, POLL_MS.shortest + reads * 500);
  return step + Math.random() * 1000;
}
