import type { Filter } from 'mongodb';
import {
  type CallChanges,
  type GeneratorCall,
  newCall,
  replacedBy,
  type StoredCall,
} from '../../domain/generator-call.ts';
import { type Metrics, NO_METRICS } from '../../telemetry/metrics/metrics.ts';
import type { GeneratorCallStore } from '../generator-call-store.ts';
import type { Mongo } from './client.ts';
import { collections, type JobDocument } from './documents.ts';

const PROCESSING = 'processing' as const;
const OPEN_CALL = { 'calls.outcome': { $type: 'null' } } as const;

const ms = (since: string) => ({ $subtract: ['$$NOW', since] });
const LISTED = {
  $mergeObjects: ['$$this', { ageMs: ms('$$this.startedAt'), silentMs: ms('$$this.beatAt') }],
};

/**
 * The calls are in the document of their job. So one write can check that the job is processing and
 * begin a call, or check that no call has begun and cancel the job. All times are MongoDB's
 * `$$NOW`, because the clocks of renderers differ.
 */
export function createGeneratorCallStore(mongo: Mongo, metrics: Metrics = NO_METRICS): GeneratorCallStore {
  const { jobs } = collections(mongo.db);
  return {
    async list(jobId) {
      const calls = { $map: { input: { $ifNull: ['$calls', []] }, in: LISTED } };
      const found = jobs.aggregate<{ calls: GeneratorCall[] }>([
        { $match: { _id: jobId } },
        { $project: { calls } },
      ]);
      return (await found.next())?.calls ?? [];
    },

    async begin(jobId, fields, listed) {
      const replaced = replacedBy(fields, listed);
      const call = {
        $mergeObjects: [{ $literal: newCall(fields, replaced) }, { startedAt: '$$NOW', beatAt: '$$NOW' }],
      };
      const kept = {
        $filter: { input: { $ifNull: ['$calls', []] }, cond: { $ne: ['$$this.id', replaced?.id ?? ''] } },
      };
      const { matchedCount } = await jobs.updateOne({ _id: jobId, status: PROCESSING, ...areStill(listed) }, [
        { $set: { calls: { $concatArrays: [kept, [call]] } } },
      ]);
      if (matchedCount > 0) return 'begun';
      const job = await jobs.findOne({ _id: jobId, status: PROCESSING }, { projection: { _id: 1 } });
      return job === null ? 'ended' : 'changed';
    },

    async beginLocal(jobId) {
      const local = { $set: { localRender: true as const } };
      return (await jobs.updateOne({ _id: jobId, status: PROCESSING }, local)).matchedCount > 0;
    },

    async beat(jobId, callId) {
      // The result of a call that another attempt has taken for lost may still be used.
      const needed = { $elemMatch: { id: callId, outcome: { $in: [null, 'lost' as const] } } };
      const { matchedCount } = await jobs.updateOne({ _id: jobId, status: PROCESSING, calls: needed }, [
        { $set: changed(callId, { beatAt: '$$NOW' }) },
      ]);
      if (matchedCount > 0) return true;
      // A job that MongoDB lost in a restore has not ended. It may come back, without its calls.
      const ended = { _id: jobId, $or: [{ status: { $ne: PROCESSING } }, { 'calls.id': callId }] };
      return (await jobs.findOne(ended, { projection: { _id: 1 } })) === null;
    },

    async update(jobId, callId, changes) {
      const ended = changes.outcome === undefined ? {} : { endedAt: '$$NOW' };
      const { task, result } = changes;
      const open = task === undefined ? {} : { outcome: null, ...(task === null ? { task } : {}) };
      const first = result === undefined || result === null ? {} : { result: null };
      const before = await jobs.findOneAndUpdate(
        { _id: jobId, calls: { $elemMatch: { id: callId, ...open, ...first } } },
        [{ $set: changed(callId, { $literal: changes }, ended) }],
        { projection: { calls: { $elemMatch: { id: callId } } }, returnDocument: 'before' },
      );
      const [call] = before?.calls ?? [];
      if (call !== undefined) countChanges(metrics, call, changes);
      return call !== undefined;
    },

    async openOfEnded(after, limit) {
      const ended = { ...OPEN_CALL, _id: { $gt: after }, status: { $ne: PROCESSING } };
      const found = jobs
        .find(ended, { projection: { _id: 1 } })
        .sort({ _id: 1 })
        .limit(limit);
      return (await found.toArray()).map(({ _id }) => _id);
    },
  };
}

/**
 * Matches a job that has these calls, each with the outcome that was listed: a call taken for lost
 * may have a result.
 */
const areStill = (listed: readonly GeneratorCall[]): Filter<JobDocument> => {
  const seen = { $map: { input: { $ifNull: ['$calls', []] }, in: ['$$this.id', '$$this.outcome'] } };
  return { $expr: { $eq: [seen, { $literal: listed.map(({ id, outcome }) => [id, outcome]) }] } };
};

/** The calls. One of them is merged with these fields. */
const changed = (callId: string, ...fields: object[]) => ({
  calls: {
    $map: {
      input: '$calls',
      in: { $cond: [{ $eq: ['$$this.id', callId] }, { $mergeObjects: ['$$this', ...fields] }, '$$this'] },
    },
  },
});

/** Counts what the write has changed: two attempts may record the end of the same call. */
function countChanges(metrics: Metrics, before: StoredCall, { outcome, costUsd }: CallChanges): void {
  const { generator } = before;
  if (before.outcome === null && outcome)
    metrics.add('imagejob_upstream_calls_total', { generator, outcome });
  const cost = (costUsd ?? 0) - (before.costUsd ?? 0);
  if (cost > 0) metrics.add('imagejob_upstream_cost_usd_total', { generator }, cost);
}
