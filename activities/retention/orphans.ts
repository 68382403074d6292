import { ApplicationFailure } from '@temporalio/activity';
import type { ObjectRef } from '../../lib/domain/records.ts';
import { FAILURES } from '../../lib/protocol/failure-types.ts';
import type { ImageStore } from '../../lib/stores/image-store.ts';
import type { Stores } from '../../lib/stores/stores.ts';
import type { RetentionBatch } from './page.ts';

/** The most objects that one list or delete call of S3 takes. */
const OBJECTS = 1000;

export interface OrphanRule {
  bucket: ObjectRef['bucket'];
  /** An object counts as an orphan when it was written before this time. */
  before: Date;
  /** How long an orphan is kept after it was first seen, in milliseconds. */
  keptMs: number;
  /** With more orphans than this share of the bucket, and more than `always`, none is removed. */
  share: number;
  always: number;
}

export interface OrphanDeps {
  stores: Pick<Stores, 'orphans' | 'retention' | 'settings'>;
  images: Pick<ImageStore, 'list'>;
  remove(refs: readonly ObjectRef[]): Promise<{ removed: number; unremoved: number }>;
}

/**
 * All pages of the bucket are read and counted. Then the pages of orphans that are due are removed.
 */
type Cursor =
  | { reading: string; objects: number; unconfirmed: number }
  /** Key of the last orphan that was looked at. */
  | { removing: string };

const parseCursor = (after: string): Cursor =>
  after === '' ? { reading: '', objects: 0, unconfirmed: 0 } : (JSON.parse(after) as Cursor);

/**
 * One batch: records the objects of a bucket that belong to no job, and removes orphans that it has
 * known for long enough. A restored database has lost jobs whose results clients still read, and a
 * month is time to recover them. If there are more orphans than normal operation explains, none is
 * removed until an operator agrees.
 * @param confirmed the operator agrees to the removal of today's orphans
 */
export async function removeOrphans(
  deps: OrphanDeps,
  rule: OrphanRule,
  after: string,
  confirmed: boolean,
): Promise<RetentionBatch> {
  const cursor = parseCursor(after);
  return 'removing' in cursor
    ? removeDue(deps, rule, cursor.removing)
    : record(deps, rule, cursor, confirmed);
}

const nextOf = (cursor: Cursor) => JSON.stringify(cursor);

async function record(
  { stores, images }: OrphanDeps,
  rule: OrphanRule,
  cursor: Extract<Cursor, { reading: string }>,
  confirmed: boolean,
): Promise<RetentionBatch> {
  const { bucket, before } = rule;
  const after = cursor.reading;
  const { found, next } = await images.list(bucket, after === '' ? undefined : after, OBJECTS);
  const old = found.filter(({ lastModified }) => lastModified < before);
  const orphans = await stores.retention.unowned(old.map(({ key }) => ({ bucket, key })));
  const keys = orphans.map(({ key }) => key);
  const fresh = await stores.orphans.record(bucket, { after, until: next ?? null }, keys, confirmed);
  const objects = cursor.objects + found.length;
  const unconfirmed = cursor.unconfirmed + fresh;
  const counts = { orphans: orphans.length };
  if (next !== undefined) return { next: nextOf({ reading: next, objects, unconfirmed }), counts };
  await assertFew(stores, rule, { objects, unconfirmed });
  return { next: nextOf({ removing: '' }), counts };
}

async function assertFew(
  { settings }: OrphanDeps['stores'],
  { bucket, share, always }: OrphanRule,
  { objects, unconfirmed }: { objects: number; unconfirmed: number },
): Promise<void> {
  const tooMany = unconfirmed > Math.max(always, share * objects);
  await settings.setRemovalsHeld(bucket, tooMany);
  if (!tooMany) return;
  throw ApplicationFailure.nonRetryable(
    `${unconfirmed} of the ${objects} objects in the bucket of ${bucket} belong to no job. None of them is removed. ` +
      'If MongoDB was restored, run `operator reconcile` first; `operator sweep run --confirm` agrees to their removal.',
    FAILURES.too_many_orphans.type,
  );
}

async function removeDue(
  { stores, remove }: OrphanDeps,
  { bucket, keptMs }: OrphanRule,
  after: string,
): Promise<RetentionBatch> {
  const { refs, next } = await stores.orphans.due(bucket, keptMs, after, OBJECTS);
  const unowned = refs.length === 0 ? [] : await stores.orphans.enqueueRemovals(refs);
  const counts = await remove(unowned);
  return { next: next === null ? null : nextOf({ removing: next }), counts };
}
