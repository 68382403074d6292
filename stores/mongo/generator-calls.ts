import { randomUUID } from 'node:crypto';
import type { ClientSession } from 'mongodb';
import {
  type CallChanges,
  type GeneratorCall,
  MOST_CHARGED_CALLS,
  newCall,
} from '../../domain/generator-call.ts';
import { type Metrics, NO_METRICS } from '../../metrics/metrics.ts';
import type { GeneratorCallStore } from '../generator-call-store.ts';
import type { Mongo } from './client.ts';
import { type Collections, collections, type GeneratorCallsDocument } from './documents.ts';

/** More than any job makes: each of its attempts may call every generator once. */
const MOST_CALLS = 500;

const CHARGED = { $filter: { input: '$calls', as: 'call', cond: '$$call.mayBeCharged' } };
const WITH_AGE = { $mergeObjects: ['$$this', { ageMs: { $subtract: ['$$NOW', '$$this.startedAt'] } }] };

/** All times are MongoDB's `$$NOW`, because the clocks of renderers differ. */
export function createGeneratorCallStore(mongo: Mongo, metrics: Metrics = NO_METRICS): GeneratorCallStore {
  const { generatorCalls: c } = collections(mongo.db);

  async function list(jobId: string): Promise<GeneratorCall[]> {
    const calls = { $map: { input: '$calls', in: WITH_AGE } };
    const found = c.aggregate<{ calls: GeneratorCall[] }>([
      { $match: { _id: jobId } },
      { $project: { calls } },
    ]);
    return (await found.next())?.calls ?? [];
  }

  return {
    list,

    async begin(jobId, fields) {
      const call = newCall(randomUUID(), fields);
      await c.updateOne({ _id: jobId }, { $setOnInsert: nothingBegun() }, { upsert: true });
      // The filter and the write are one operation, so concurrent attempts share the limit.
      const limit = fields.mayBeCharged ? { $lt: [{ $size: CHARGED }, MOST_CHARGED_CALLS] } : {};
      const begun = { $mergeObjects: [{ $literal: call }, { startedAt: '$$NOW' }] };
      const { matchedCount } = await c.updateOne(
        {
          _id: jobId,
          closed: { $ne: true },
          $expr: { $and: [{ $lt: [{ $size: '$calls' }, MOST_CALLS] }, limit] },
        },
        [{ $set: { calls: { $concatArrays: ['$calls', [begun]] } } }],
      );
      return matchedCount === 0 ? undefined : call.id;
    },

    async beginLocal(jobId) {
      await c.updateOne({ _id: jobId }, { $setOnInsert: nothingBegun() }, { upsert: true });
      const open = { _id: jobId, closed: { $ne: true as const } };
      return (await c.updateOne(open, { $set: { local: true } })).matchedCount > 0;
    },

    async update(jobId, callId, changes) {
      const ended = changes.outcome === undefined ? {} : { endedAt: '$$NOW' };
      const changed = { $mergeObjects: ['$$this', { $literal: changes }, ended] };
      const calls = {
        $map: { input: '$calls', in: { $cond: [{ $eq: ['$$this.id', callId] }, changed, '$$this'] } },
      };
      const open = changes.task === undefined ? {} : { outcome: null };
      const before = await c.findOneAndUpdate(
        { _id: jobId, calls: { $elemMatch: { id: callId, ...open } } },
        [{ $set: { calls } }],
        { projection: { calls: { $elemMatch: { id: callId } } }, returnDocument: 'before' },
      );
      const [call] = before?.calls ?? [];
      if (call !== undefined) countChanges(metrics, call, changes);
      return call !== undefined;
    },

    async close(jobId) {
      const closed = { $set: { closed: true as const }, $setOnInsert: nothingBegun() };
      await c.updateOne({ _id: jobId }, closed, { upsert: true });
      return list(jobId);
    },
  };
}

const nothingBegun = (): Pick<GeneratorCallsDocument, 'startedAt' | 'calls'> => ({
  startedAt: new Date(),
  calls: [],
});

/** Thrown by {@link closeUnbegun}: a generator was asked. */
export class CallsBegun extends Error {
  override readonly name = 'CallsBegun';
}

/**
 * Lets the job begin no call and no local render, in the caller's transaction.
 * @throws CallsBegun when one has begun
 */
export async function closeUnbegun(
  { generatorCalls }: Collections,
  jobId: string,
  session: ClientSession,
): Promise<void> {
  const row = await generatorCalls.findOne({ _id: jobId }, { session });
  if (row !== null && (row.local === true || row.calls.length > 0))
    throw new CallsBegun(`A generator was asked for job ${jobId}.`);
  const closed = { $set: { closed: true as const }, $setOnInsert: nothingBegun() };
  await generatorCalls.updateOne({ _id: jobId }, closed, { upsert: true, session });
}

/** Counts by what the write has changed: two attempts may record the end of the same call. */
function countChanges(
  metrics: Metrics,
  before: Pick<GeneratorCall, 'generator' | 'outcome' | 'costUsd'>,
  { outcome, costUsd }: CallChanges,
): void {
  const { generator } = before;
  if (before.outcome === null && outcome)
    metrics.add('imagejob_upstream_calls_total', { generator, outcome });
  const cost = (costUsd ?? 0) - (before.costUsd ?? 0);
  if (cost > 0) metrics.add('imagejob_upstream_cost_usd_total', { generator }, cost);
}
