import type { ClientSession } from 'mongodb';
import type { Acceptance, JobDraft } from '../../domain/records.ts';
import type { RestoredJob } from '../job-store.ts';
import { isDuplicateKey, type Mongo } from './client.ts';
import { type Collections, isTombstone, type JobDocument } from './documents.ts';
import { Overdrawn, postRows } from './ledger.ts';
import { removalId } from './outboxes.ts';

type OnCharged = (drafts: readonly JobDraft[]) => void;

/**
 * Accepts jobs of one account, in one transaction if they do not conflict. See JobStore.accept.
 * @param onCharged called with the jobs of each transaction that has committed
 */
export async function acceptAll(
  mongo: Mongo,
  c: Collections,
  drafts: readonly JobDraft[],
  onCharged: OnCharged = () => {},
): Promise<Acceptance[]> {
  const outcomes = new Map<JobDraft, Acceptance>();
  let remaining = drafts;
  while (remaining.length > 0) {
    // For a single job, the transaction checks the balance.
    const [payable, short] = remaining.length === 1 ? [remaining, []] : await splitByBalance(c, remaining);
    for (const [draft, outcome] of await acceptPayable(mongo, c, payable, onCharged))
      outcomes.set(draft, outcome);
    // Check the others again: a repeated acceptance above was not charged again, so the balance may
    // suffice.
    if (payable.length === 0)
      for (const draft of short) outcomes.set(draft, await outcomeWithoutBalance(c, draft));
    remaining = payable.length === 0 ? [] : short;
  }
  return drafts.map((draft) => outcomes.get(draft) ?? overdrawn(draft));
}

/** The jobs that the current balance covers, in the order of arrival, and the others. */
async function splitByBalance(
  c: Collections,
  drafts: readonly JobDraft[],
): Promise<[JobDraft[], JobDraft[]]> {
  const [first] = drafts;
  const account = await c.accounts.findOne({ _id: first?.accountId ?? '' }, { projection: { balance: 1 } });
  let available = account?.balance ?? 0;
  const payable: JobDraft[] = [];
  const short: JobDraft[] = [];
  for (const draft of drafts) {
    if (draft.imagesCharged > available) short.push(draft);
    else {
      available -= draft.imagesCharged;
      payable.push(draft);
    }
  }
  return [payable, short];
}

/**
 * The outcome of a job that the balance does not cover. A repeated acceptance or a replay has an
 * outcome already and needs no balance. Any other job is refused.
 */
async function outcomeWithoutBalance(c: Collections, draft: JobDraft): Promise<Acceptance> {
  return (await existingOutcome(c, draft)) ?? overdrawn(draft);
}

async function acceptPayable(
  mongo: Mongo,
  c: Collections,
  drafts: readonly JobDraft[],
  onCharged: OnCharged,
): Promise<(readonly [JobDraft, Acceptance])[]> {
  if (drafts.length === 0) return [];
  try {
    const at = new Date();
    await mongo.transaction((session) => insertAll(c, session, drafts, (draft) => toDocument(draft, at)));
    onCharged(drafts);
    return drafts.map((draft) => [draft, accepted(draft)]);
  } catch (error) {
    const [first, ...others] = drafts;
    if (first === undefined || !(error instanceof Overdrawn || isDuplicateKey(error))) throw error;
    if (others.length === 0) return [[first, await outcomeOfConflict(c, first, error)]];
    // One of the jobs aborted the transaction of all.
    const outcomes: (readonly [JobDraft, Acceptance])[] = [];
    for (const draft of drafts) outcomes.push(...(await acceptPayable(mongo, c, [draft], onCharged)));
    return outcomes;
  }
}

const accepted = ({ jobId, bodyDigest }: JobDraft): Acceptance => ({
  outcome: 'accepted',
  jobId,
  bodyDigest,
});

const overdrawn = ({ jobId }: JobDraft): Acceptance => ({ outcome: 'insufficient_credits', jobId });

/** Inserts and charges jobs of one account. */
async function insertAll(
  c: Collections,
  session: ClientSession,
  drafts: readonly JobDraft[],
  documentOf: (draft: JobDraft) => JobDocument,
): Promise<void> {
  const at = new Date();
  const [first] = drafts;
  await c.jobs.insertMany(drafts.map(documentOf), { session });
  const keys = drafts.flatMap(({ jobId, keyId, idempotencyKey, bodyDigest }) =>
    idempotencyKey === null ? [] : [{ _id: jobId, keyId, key: idempotencyKey, bodyDigest, createdAt: at }],
  );
  if (keys.length > 0) await c.idempotency.insertMany(keys, { session });
  const charges = drafts.map(({ jobId, imagesCharged }) => ({
    id: `charge:${jobId}`,
    kind: 'charge' as const,
    jobId,
    delta: -imagesCharged,
  }));
  await postRows(c, session, first?.accountId ?? '', charges, at);
}

/** The outcome of a job that could not be inserted. */
async function outcomeOfConflict(c: Collections, draft: JobDraft, error: unknown): Promise<Acceptance> {
  const outcome = await existingOutcome(c, draft);
  if (outcome !== undefined) return outcome;
  if (error instanceof Overdrawn) return overdrawn(draft);
  throw new Error(`The conflict with job ${draft.jobId} no longer exists; retry its acceptance.`, {
    cause: error,
  });
}

/** The outcome of an earlier acceptance of this job, or of the job that has its idempotency key. */
async function existingOutcome(c: Collections, draft: JobDraft): Promise<Acceptance | undefined> {
  const { jobId, keyId, idempotencyKey } = draft;
  const job = await c.jobs.findOne({ _id: jobId });
  if (job !== null && !isTombstone(job)) return accepted(draft);
  if (job !== null) return 'overdrawn' in job ? overdrawn(draft) : { outcome: 'voided', jobId };
  if (idempotencyKey === null) return undefined;
  const row = await c.idempotency.findOne({ keyId, key: idempotencyKey });
  if (row === null) return undefined;
  // Another attempt accepted this job between the two queries.
  if (row._id === jobId) return accepted(draft);
  return { outcome: 'existing', jobId: row._id, bodyDigest: row.bodyDigest };
}

function toDocument(draft: JobDraft, createdAt: Date): JobDocument {
  const { jobId, input, bodyDigest: _digest, ...stored } = draft;
  return {
    _id: jobId,
    ...stored,
    status: 'processing',
    inputs: [input],
    results: [],
    error: null,
    createdAt,
    completedAt: null,
    processingMs: null,
    answered: [jobId],
    withdrawn: [],
  };
}

class Gone extends Error {}

/**
 * See JobStore.restore. Before the retention run removes an orphan, a transaction moves its row
 * from `orphans` to `removals`. Either that transaction conflicts with this one, or this one sees
 * the row in `removals` or finds the object missing.
 */
export async function restoreJob(
  mongo: Mongo,
  c: Collections,
  draft: JobDraft,
  { createdAt, end }: RestoredJob,
  isStored: () => Promise<boolean>,
): Promise<Acceptance | { outcome: 'gone' }> {
  const results = (end?.results ?? []).map(removalId);
  const documentOf = (): JobDocument => ({
    ...toDocument(draft, createdAt),
    ...(end === null ? {} : { ...end, status: 'completed' }),
  });
  try {
    await mongo.transaction(async (session) => {
      await c.orphans.deleteMany({ _id: { $in: [...results, removalId(draft.input)] } }, { session });
      const queued = await c.removals.findOne({ _id: { $in: results } }, { session });
      if (queued !== null || !(await isStored())) throw new Gone();
      await insertAll(c, session, [draft], documentOf);
    });
    return accepted(draft);
  } catch (error) {
    if (error instanceof Gone) return { outcome: 'gone' };
    if (!(error instanceof Overdrawn || isDuplicateKey(error))) throw error;
    return outcomeOfConflict(c, draft, error);
  }
}
