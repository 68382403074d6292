import type { JobRecord, LedgerRow } from './records.ts';

export type AuditedJob = Pick<
  JobRecord,
  'id' | 'keyId' | 'status' | 'imagesCharged' | 'workflowId' | 'idempotencyKey' | 'createdAt' | 'deleted'
>;

/** An idempotency key that is spent on a job. */
export interface SpentKey {
  jobId: string;
  keyId: string;
  key: string;
}

/** The records of the jobs that are checked: all of their rows, and their idempotency keys. */
export interface JobBooks {
  /** By id. */
  rows: ReadonlyMap<string, Pick<LedgerRow, 'delta'>>;
  /** By job. */
  spent: ReadonlyMap<string, SpentKey>;
}

/**
 * A render is tried for 24 hours, so a job that processes for longer than this has lost its
 * workflow.
 */
export const PROCESSING_HOURS = 25;
const HOUR_MS = 3_600_000;

/** The rows of a job, in multiples of its charge, by its end. Without a row it is 0. */
const SHARES = {
  processing: { charge: -1, refund: 0, void: 0 },
  completed: { charge: -1, refund: 0, void: 0 },
  failed: { charge: -1, refund: 1, void: 0 },
} as const;

export const JOB_KINDS = ['charge', 'refund', 'void'] as const;
type JobKind = (typeof JOB_KINDS)[number];

/** Each job must have exactly the rows of its end, and its idempotency key must be spent on it. */
export const auditJobs = (jobs: readonly AuditedJob[], books: JobBooks, now: Date): string[] =>
  jobs.flatMap((job) => [
    ...auditAmounts(job, books),
    ...auditSpentKey(job, books.spent.get(job.id)),
    ...auditAge(job, now),
  ]);

function auditAmounts({ id, status, imagesCharged, deleted }: AuditedJob, { rows }: JobBooks): string[] {
  const end = status === 'deleted' ? deleted?.was : status;
  if (end === undefined || !Object.hasOwn(SHARES, end))
    return [`job ${id} has the unknown end ${end ?? status}`];
  const said = status === end ? status : `${status}, was ${end}`;
  return JOB_KINDS.flatMap((kind) => {
    const found = rows.get(`${kind}:${id}`)?.delta;
    const expected = SHARES[end][kind] * imagesCharged;
    if ((found ?? 0) === expected) return [];
    return [
      `job ${id} (${said}) has ${amount(kind, found)}, expected ${amount(kind, expected || undefined)}`,
    ];
  });
}

/** A charge takes from the balance: its amount is the opposite of its delta. */
const amount = (kind: JobKind, delta: number | undefined) =>
  delta === undefined ? `no ${kind}` : `a ${kind} of ${kind === 'charge' ? -delta : delta}`;

function auditSpentKey(job: AuditedJob, spent: SpentKey | undefined): string[] {
  const { id, keyId, idempotencyKey: key } = job;
  if (spent === undefined) return hasKey(job) ? [`job ${id} has an idempotency key that is not spent`] : [];
  if (spent.keyId !== keyId)
    return [`job ${id} is of key ${keyId}, but its idempotency key is spent by key ${spent.keyId}`];
  if (job.status === 'deleted' || key === spent.key) return [];
  return [`job ${id} has another idempotency key than the one that is spent on it`];
}

/**
 * A deleted job has lost its idempotency key, but the id of its workflow says whether there was
 * one.
 */
const hasKey = ({ status, keyId, workflowId, idempotencyKey }: AuditedJob) =>
  status === 'deleted' ? String(workflowId).startsWith(`job:${keyId}:`) : idempotencyKey !== null;

function auditAge({ id, status, createdAt }: AuditedJob, now: Date): string[] {
  const hours = (now.getTime() - Number(createdAt)) / HOUR_MS;
  if (status !== 'processing' || hours <= PROCESSING_HOURS) return [];
  return [
    `job ${id} has been processing for ${hours.toFixed(1)} hours, expected at most ${PROCESSING_HOURS}`,
  ];
}

/**
 * A voided job leaves only its charge and one reversal: a refund if it had failed, otherwise a
 * void.
 */
export function auditGoneJobs(ids: readonly string[], { rows }: Pick<JobBooks, 'rows'>): string[] {
  return ids.flatMap((id) => {
    const [charge, ...reversals] = JOB_KINDS.map((kind) => rows.get(`${kind}:${id}`)?.delta);
    const posted = reversals.filter((delta) => delta !== undefined);
    if (charge !== undefined && posted.length === 1 && posted[0] === -charge) return [];
    const amounts = JOB_KINDS.map((kind) => amount(kind, rows.get(`${kind}:${id}`)?.delta)).join(', ');
    return [`job ${id} does not exist, but has ${amounts}, expected one reversal of its charge`];
  });
}

/** @param jobIds the jobs that exist among those on which keys are spent */
export const auditSpentKeys = (spent: readonly SpentKey[], jobIds: ReadonlySet<string>): string[] =>
  spent
    .filter(({ jobId }) => !jobIds.has(jobId))
    .map(
      ({ jobId, keyId }) =>
        `job ${jobId} does not exist, but an idempotency key of key ${keyId} is spent on it`,
    );
