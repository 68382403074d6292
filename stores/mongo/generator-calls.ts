import { randomUUID } from 'node:crypto';
import { MOST_CHARGED_CALLS, newCall } from '../../domain/generator-call.ts';
import type { GeneratorCallStore } from '../ports.ts';
import type { Mongo } from './client.ts';
import { collections } from './documents.ts';

/** More than any job makes: each of its attempts may call every generator once. */
const MOST_CALLS = 500;

const CHARGED = { $filter: { input: '$calls', as: 'call', cond: '$$call.mayBeCharged' } };

export function createGeneratorCallStore(mongo: Mongo): GeneratorCallStore {
  const { generatorCalls: c } = collections(mongo.db);
  return {
    list: async (jobId) => (await c.findOne({ _id: jobId }))?.calls ?? [],

    async begin(jobId, fields) {
      const call = newCall(randomUUID(), fields);
      await c.updateOne(
        { _id: jobId },
        { $setOnInsert: { startedAt: call.startedAt, calls: [] } },
        { upsert: true },
      );
      // The filter and the write are one operation, so concurrent attempts share the limit.
      const limit = fields.mayBeCharged ? { $lt: [{ $size: CHARGED }, MOST_CHARGED_CALLS] } : {};
      const { matchedCount } = await c.updateOne(
        { _id: jobId, $expr: { $and: [{ $lt: [{ $size: '$calls' }, MOST_CALLS] }, limit] } },
        { $push: { calls: call } },
      );
      return matchedCount === 0 ? undefined : call.id;
    },

    async update(jobId, callId, changes) {
      const fields = Object.entries(changes).map(([name, value]) => [`calls.$.${name}`, value]);
      await c.updateOne({ _id: jobId, 'calls.id': callId }, { $set: Object.fromEntries(fields) });
    },
  };
}
