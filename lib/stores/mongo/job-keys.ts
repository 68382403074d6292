import type { JobRecord } from '../../domain/records.ts';
import { type Collections, type JobDocument, toJob } from './documents.ts';

/**
 * The jobs with their idempotency keys. Version 0.1.0 stored them in `idempotency` alone: one query finds those of all
 * its jobs.
 */
export async function withKeys(
  { idempotency }: Pick<Collections, 'idempotency'>,
  documents: readonly JobDocument[],
): Promise<JobRecord[]> {
  const unknown = documents.filter(lacksKey).map(({ _id }) => _id);
  if (unknown.length === 0) return documents.map(toJob);
  const rows = await idempotency.find({ _id: { $in: unknown } }, { projection: { key: 1 } }).toArray();
  const keys = new Map(rows.map(({ _id, key }) => [_id, key]));
  return documents.map((job) =>
    lacksKey(job) ? { ...toJob(job), idempotencyKey: keys.get(job._id) ?? null } : toJob(job),
  );
}

/** See {@link withKeys}. */
export async function withKey(
  c: Pick<Collections, 'idempotency'>,
  document: JobDocument,
): Promise<JobRecord> {
  const [job] = await withKeys(c, [document]);
  return job ?? toJob(document);
}

const lacksKey = ({ idempotencyKey, status }: JobDocument) =>
  idempotencyKey === undefined && status !== 'deleted';
