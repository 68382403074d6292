import { unusedResults } from '../../domain/generator-call.ts';
import type { DeletedJob } from '../job-store.ts';
import type { Mongo } from './client.ts';
import { cancelDeliveries } from './deliveries.ts';
import type { Collections } from './documents.ts';
import { enqueueHistories, queueRemovals } from './outboxes.ts';

const ENDED = { $in: ['completed' as const, 'failed' as const] };

/**
 * Fields cleared on deletion; id, tool, charge, key and times stay for billing. Pipelines need
 * `$literal` for `{}`.
 */
const CLEARED = {
  options: { $literal: {} },
  warnings: [],
  webhookUrl: null,
  error: null,
  failureReason: '$$REMOVE',
  idempotencyKey: null,
  inputs: [],
  results: [],
  // The cost of the calls stays, and so does an open task, so that it can be cancelled.
  calls: {
    $cond: [
      { $isArray: '$calls' },
      { $map: { input: '$calls', in: { $mergeObjects: ['$$this', { error: null, result: null }] } } },
      '$$REMOVE',
    ],
  },
};

/** See JobStore.remove. */
export async function removeJobs(
  mongo: Mongo,
  c: Collections,
  jobIds: readonly string[],
): Promise<DeletedJob[]> {
  if (jobIds.length === 0) return [];
  return mongo.transaction(async (session) => {
    const jobs = await c.jobs
      .find(
        { _id: { $in: [...jobIds] }, status: ENDED },
        { session, projection: { inputs: 1, results: 1, calls: 1, workflowId: 1 } },
      )
      .toArray();
    if (jobs.length === 0) return [];
    await c.jobs.updateMany(
      { _id: { $in: jobs.map(({ _id }) => _id) } },
      [{ $set: { ...CLEARED, status: 'deleted', deleted: { at: new Date(), was: '$status' } } }],
      { session },
    );
    await cancelDeliveries(
      c,
      jobs.map(({ _id }) => _id),
      session,
    );
    await enqueueHistories(
      c,
      jobs.map(({ workflowId }) => workflowId),
      session,
    );
    const deleted = jobs.map(({ _id, inputs, results, calls }) => ({
      id: _id,
      objects: [...inputs, ...results, ...unusedResults(calls, results)],
    }));
    await queueRemovals(
      c,
      deleted.flatMap(({ objects }) => objects),
      session,
    );
    return deleted;
  });
}

/** See JobStore.dropInputs. */
export async function dropInputs(mongo: Mongo, c: Collections, jobIds: readonly string[]): Promise<number> {
  if (jobIds.length === 0) return 0;
  return mongo.transaction(async (session) => {
    const jobs = await c.jobs
      .find(
        { _id: { $in: [...jobIds] }, status: 'failed', 'inputs.bucket': 'inputs' },
        { session, projection: { inputs: 1 } },
      )
      .toArray();
    const ids = jobs.map(({ _id }) => _id);
    await c.jobs.updateMany({ _id: { $in: ids } }, { $set: { inputs: [] } }, { session });
    await queueRemovals(
      c,
      jobs.flatMap(({ inputs }) => inputs),
      session,
    );
    return jobs.length;
  });
}
