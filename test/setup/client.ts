import { vi } from 'vitest';
import type { TypedApp } from '../../api/http/operation.ts';
import type { Job } from '../../lib/contract/schemas.ts';

type Headers = Record<string, string>;

export function postJob(app: TypedApp, headers: Headers, body: object, idempotencyKey?: string) {
  return app.inject({
    method: 'POST',
    url: '/api/v1/jobs',
    headers: { ...headers, ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }) },
    payload: body,
  });
}

/** Polls a job until it is no longer processing. */
export function ended(app: TypedApp, headers: Headers, jobId: string): Promise<Job> {
  return vi.waitFor(async () => {
    const job = (await app.inject({ url: `/api/v1/jobs/${jobId}`, headers })).json<Job>();
    if (job.status === 'processing') throw new Error(`job ${jobId} is still processing`);
    return job;
  }, 60_000);
}
