import { randomUUID } from 'node:crypto';
import { type GeneratorCall, MOST_CHARGED_CALLS, newCall } from '../../domain/generator-call.ts';
import type { GeneratorCallStore } from '../ports.ts';
import type { Mongo } from './client.ts';
import { collections } from './documents.ts';

/** More than any job makes: each of its attempts may call every generator once. */
const MOST_CALLS = 500;

const CHARGED = { $filter: { input: '$calls', as: 'call', cond: '$$call.mayBeCharged' } };
const WITH_AGE = { $mergeObjects: ['$$this', { ageMs: { $subtract: ['$$NOW', '$$this.startedAt'] } }] };

/** All times are MongoDB's `$$NOW`, because the clocks of renderers differ. */
export function createGeneratorCallStore(mongo: Mongo): GeneratorCallStore {
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
      await c.updateOne(
        { _id: jobId },
        { $setOnInsert: { startedAt: new Date(), calls: [] } },
        { upsert: true },
      );
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

    async update(jobId, callId, changes) {
      const ended = changes.outcome === undefined ? {} : { endedAt: '$$NOW' };
      const changed = { $mergeObjects: ['$$this', { $literal: changes }, ended] };
      const calls = {
        $map: { input: '$calls', in: { $cond: [{ $eq: ['$$this.id', callId] }, changed, '$$this'] } },
      };
      const open = changes.task === undefined ? {} : { outcome: null };
      const { matchedCount } = await c.updateOne(
        { _id: jobId, calls: { $elemMatch: { id: callId, ...open } } },
        [{ $set: { calls } }],
      );
      return matchedCount === 1;
    },

    async close(jobId) {
      const setOnInsert = { startedAt: new Date(), calls: [] };
      await c.updateOne(
        { _id: jobId },
        { $set: { closed: true }, $setOnInsert: setOnInsert },
        { upsert: true },
      );
      return list(jobId);
    },
  };
}
