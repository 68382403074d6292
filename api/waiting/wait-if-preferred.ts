import type { FastifyRequest, preSerializationAsyncHookHandler } from 'fastify';
import type { JobCreated, JobReplayed } from '../../lib/contract/schemas.ts';
import { presentJob } from '../../lib/domain/present.ts';
import type { ApiDeps } from '../deps.ts';
import { preferredWait } from './prefer.ts';
import { findBrief, untilEnded } from './wait.ts';

/**
 * preSerialization hook of POST /v1/jobs: with `Prefer: wait`, a job that ends in time is answered as a replay is. As a
 * hook it runs after the handler, so that nothing of the request's body is held while it waits.
 */
export function waitIfPreferred({
  stores,
  waiters,
  images,
  usualTimes,
}: ApiDeps): preSerializationAsyncHookHandler<unknown> {
  return async (request, reply, answer) => {
    const seconds = preferredWait(request.headers.prefer?.toString());
    // A dry run is 200, a rejection 4xx.
    if (seconds === undefined || reply.statusCode !== 201) return answer;
    const created = answer as JobCreated | JobReplayed;
    const { accountId, keyId } = request.caller;
    const isRevoked = () => stores.keys.isRevoked(keyId);
    const waiting = { accountId, jobId: created.job_id, response: reply.raw, isRevoked };
    releaseBody(request);
    const waiter = await waiters.register('prefer', waiting);
    if (waiter === undefined) return created;
    request.waits = true;
    reply.header('Preference-Applied', `wait=${seconds}`);
    if (created.status !== 'processing') return created;
    // Not an error: one would be answered 5xx, and the job be voided.
    const found = await findBrief(stores.jobs, waiting.accountId, waiting.jobId).catch(() => undefined);
    if (found === undefined) return created;
    const job = await untilEnded(waiter, found, seconds);
    // The job is charged, so its client is told of it, but not of its end.
    if (job === 'revoked') return created;
    usualTimes.saw(job);
    return job.status === 'processing' ? created : { ...presentJob(job, images), warnings: created.warnings };
  };
}

function releaseBody(request: FastifyRequest): void {
  request.hold.release();
  request.jobBody = { fields: {} };
  request.body = undefined;
}
