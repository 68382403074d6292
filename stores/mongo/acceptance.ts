import type { ClientSession } from 'mongodb';
import type { Acceptance } from '../ports.ts';
import type { JobDraft } from '../records.ts';
import { isDuplicateKey, type Mongo } from './client.ts';
import { type Collections, isTombstone, type JobDocument } from './documents.ts';
import { Overdrawn, postAll } from './ledger.ts';

/** Accepts jobs of one account, in one transaction where they don't get in each other's way. See JobStore.accept. */
export async function acceptAll(
  mongo: Mongo,
  c: Collections,
  drafts: readonly JobDraft[],
): Promise<Acceptance[]> {
  const outcomes = new Map<JobDraft, Acceptance>();
  let left = drafts;
  while (left.length > 0) {
    // A lone one is left to the guard of its transaction.
    const [payable, short] = left.length === 1 ? [left, []] : await split(c, left);
    for (const [draft, outcome] of await acceptPayable(mongo, c, payable)) outcomes.set(draft, outcome);
    // Looked at again after those before them: a repetition takes nothing off the balance, and finds its job.
    if (payable.length === 0) for (const draft of short) outcomes.set(draft, await shortOf(c, draft));
    left = payable.length === 0 ? [] : short;
  }
  return drafts.map((draft) => outcomes.get(draft) ?? { outcome: 'insufficient_credits' });
}

/** Those the balance covers in the order they came, as far as can be seen now, and the others, which need no transaction. */
async function split(c: Collections, drafts: readonly JobDraft[]): Promise<[JobDraft[], JobDraft[]]> {
  const [first] = drafts;
  const account = await c.accounts.findOne({ _id: first?.accountId ?? '' }, { projection: { balance: 1 } });
  let left = account?.balance ?? 0;
  const payable: JobDraft[] = [];
  const short: JobDraft[] = [];
  for (const draft of drafts) {
    if (draft.imagesCharged > left) short.push(draft);
    else {
      left -= draft.imagesCharged;
      payable.push(draft);
    }
  }
  return [payable, short];
}

/** A repetition was charged before, and a replay is not to be charged; anything else can't be paid. */
async function shortOf(c: Collections, draft: JobDraft): Promise<Acceptance> {
  return (await decided(c, draft)) ?? { outcome: 'insufficient_credits' };
}

async function acceptPayable(
  mongo: Mongo,
  c: Collections,
  drafts: readonly JobDraft[],
): Promise<(readonly [JobDraft, Acceptance])[]> {
  if (drafts.length === 0) return [];
  try {
    await mongo.transaction((session) => insertAll(c, session, drafts));
    return drafts.map((draft) => [draft, accepted(draft)]);
  } catch (error) {
    const [first, ...more] = drafts;
    if (first === undefined || !(error instanceof Overdrawn || isDuplicateKey(error))) throw error;
    if (more.length === 0) return [[first, await refused(c, first, error)]];
    // One of them stood in the way of all.
    const outcomes: (readonly [JobDraft, Acceptance])[] = [];
    for (const draft of drafts) outcomes.push(...(await acceptPayable(mongo, c, [draft])));
    return outcomes;
  }
}

const accepted = ({ jobId, bodyDigest }: JobDraft): Acceptance => ({
  outcome: 'accepted',
  jobId,
  bodyDigest,
});

async function insertAll(c: Collections, session: ClientSession, drafts: readonly JobDraft[]): Promise<void> {
  const at = new Date();
  const [first] = drafts;
  await c.jobs.insertMany(
    drafts.map((draft) => toDocument(draft, at)),
    { session },
  );
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
  await postAll(c, session, first?.accountId ?? '', charges, at);
}

async function refused(c: Collections, draft: JobDraft, error: unknown): Promise<Acceptance> {
  const outcome = await decided(c, draft);
  if (outcome !== undefined) return outcome;
  if (error instanceof Overdrawn) return { outcome: 'insufficient_credits' };
  throw new Error(`What refused job ${draft.jobId} is gone; accept it again.`, { cause: error });
}

/** What an earlier acceptance of the job has left, or the job that holds its key. */
async function decided(c: Collections, draft: JobDraft): Promise<Acceptance | undefined> {
  const { jobId, keyId, idempotencyKey } = draft;
  const own = await c.jobs.findOne({ _id: jobId });
  if (own !== null && !isTombstone(own)) return accepted(draft);
  if (own !== null)
    return 'unpaid' in own ? { outcome: 'insufficient_credits' } : { outcome: 'voided', jobId };
  if (idempotencyKey === null) return undefined;
  const row = await c.idempotency.findOne({ keyId, key: idempotencyKey });
  if (row === null) return undefined;
  // Accepted by another attempt between the two.
  if (row._id === jobId) return accepted(draft);
  return { outcome: 'existing', jobId: row._id, bodyDigest: row.bodyDigest };
}

function toDocument(draft: JobDraft, createdAt: Date): JobDocument {
  const { jobId, input, idempotencyKey: _key, bodyDigest: _digest, ...kept } = draft;
  return {
    _id: jobId,
    ...kept,
    status: 'processing',
    inputs: [input],
    results: [],
    error: null,
    createdAt,
    completedAt: null,
    processingMs: null,
    answered: [jobId],
  };
}
