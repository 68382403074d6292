import type { Acceptance, JobDraft } from '../../domain/records.ts';
import type { LostJob } from '../job-store.ts';
import { accepted, insertAll, refused, toDocument } from './acceptance.ts';
import { isDuplicateKey, type Mongo } from './client.ts';
import type { Collections, JobDocument } from './documents.ts';
import { Overdrawn } from './ledger.ts';
import { idOf } from './removals.ts';

class Gone extends Error {}

/**
 * See JobStore.restore. An orphan that is given up loses its row in `orphans` before it is removed, so that either that
 * transaction conflicts with this one, or its row in `removals` or the missing object is seen here.
 */
export async function restoreJob(
  mongo: Mongo,
  c: Collections,
  draft: JobDraft,
  { createdAt, end }: LostJob,
  isStored: () => Promise<boolean>,
): Promise<Acceptance | { outcome: 'gone' }> {
  const results = (end?.results ?? []).map(idOf);
  const documentOf = (): JobDocument => ({
    ...toDocument(draft, createdAt),
    ...(end === null ? {} : { ...end, status: 'completed' }),
  });
  try {
    await mongo.transaction(async (session) => {
      await c.orphans.deleteMany({ _id: { $in: [...results, idOf(draft.input)] } }, { session });
      const queued = await c.removals.findOne({ _id: { $in: results } }, { session });
      if (queued !== null || !(await isStored())) throw new Gone();
      await insertAll(c, session, [draft], documentOf);
    });
    return accepted(draft);
  } catch (error) {
    if (error instanceof Gone) return { outcome: 'gone' };
    if (!(error instanceof Overdrawn || isDuplicateKey(error))) throw error;
    return refused(c, draft, error);
  }
}
