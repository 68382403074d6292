import type { FindOptions } from 'mongodb';
import { auditEnd, subjectsOf } from '../../domain/audit.ts';
import { auditSpentKeys, type SpentKey } from '../../domain/audit-jobs.ts';
import { createRowAudit } from '../../domain/audit-rows.ts';
import type { LedgerRow } from '../../domain/records.ts';
import { auditJobsOf, auditPacksOf, existingIds, findAccount, spentKeys, type View } from './audited.ts';
import type { Mongo } from './client.ts';
import { type Collections, collections, toRecord } from './documents.ts';
import { followers, NEWEST_FIRST } from './queries.ts';

/** Documents per query. */
const PAGE = 1000;
/** The audit of an account stops after so many breaches, which bounds its memory. */
const MOST = 1000;

/** Audits one page. `next` is the cursor of the following page; undefined after the last one. */
type Pass<A> = (view: View, after: A | undefined) => Promise<{ breaches: string[]; next: A | undefined }>;

/**
 * Audits the ledger of one account. Reads page by page, so that memory is bounded. Each page and
 * the records that belong to it are read in one snapshot, so that concurrent writes do not look
 * like a breach.
 * @param onPage called after each page; its error ends the audit
 * @returns a sentence for each breach
 */
export async function auditLedger(mongo: Mongo, accountId: string, onPage = () => {}): Promise<string[]> {
  const breaches = new Set<string>();

  async function run<A>(pass: Pass<A>): Promise<void> {
    let after: A | undefined;
    do {
      const page = await mongo.snapshot((db, session) =>
        pass({ c: collections(db), options: { session }, accountId }, after),
      );
      for (const breach of page.breaches) breaches.add(`account ${accountId}: ${breach}`);
      after = page.next;
      onPage();
    } while (after !== undefined && breaches.size < MOST);
  }

  await run(createRowPass());
  await run(auditJobPage);
  await run(auditPackPage);
  await run(auditSpentKeyPage);
  if (breaches.size < MOST) return [...breaches];
  return [...[...breaches].slice(0, MOST), `account ${accountId}: the audit stops after ${MOST} breaches`];
}

/** All rows, with the jobs and packs that they name. The last page includes the account. */
function createRowPass(): Pass<number> {
  const auditRow = createRowAudit();
  let last: LedgerRow | undefined;
  return async (view, after) => {
    const rows = await rowPage(view.c, view.accountId, { after, limit: PAGE }, view.options);
    const isLast = rows.length < PAGE;
    const account = isLast ? await findAccount(view) : undefined;
    const ofSubjects = [
      ...(await auditJobsOf(view, subjectsOf(rows, 'jobId'), rows)),
      ...(await auditPacksOf(view, subjectsOf(rows, 'packId'))),
    ];
    // After the last read, so that a page is audited once even if it is read again because its
    // snapshot was lost.
    last = rows.at(-1) ?? last;
    const ofRows = rows.flatMap(auditRow);
    const ofAccount = account === undefined ? [] : auditEnd(account, last);
    return { breaches: [...ofRows, ...ofAccount, ...ofSubjects], next: isLast ? undefined : last?.seq };
  };
}

/** Audits jobs without a charge. The rows lead to all other jobs. */
const auditJobPage: Pass<{ _id: string; createdAt: Date }> = async (view, after) => {
  const { c, options, accountId } = view;
  const older = after === undefined ? {} : followers(after);
  const jobs = c.jobs.find({ accountId, ...older }, { ...options, projection: { createdAt: 1 } });
  const page = await jobs.sort(NEWEST_FIRST).limit(PAGE).toArray();
  const ids = page.map(({ _id }) => _id);
  const charged = await existingIds(c.ledger, { _id: { $in: ids.map((id) => `charge:${id}`) } }, options);
  const uncharged = ids.filter((id) => !charged.has(`charge:${id}`));
  return { breaches: await auditJobsOf(view, uncharged, []), next: nextOf(page) };
};

const auditPackPage: Pass<string> = async (view, after = '') => {
  const { c, options, accountId } = view;
  const packs = c.packs.find({ accountId, _id: { $gt: after } }, { ...options, projection: { _id: 1 } });
  const ids = (await packs.sort({ _id: 1 }).limit(PAGE).toArray()).map(({ _id }) => _id);
  return { breaches: await auditPacksOf(view, ids), next: nextOf(ids) };
};

/** The idempotency keys of all keys of the account. */
const auditSpentKeyPage: Pass<SpentKey> = async ({ c, options, accountId }, after) => {
  const keys = await c.keys.find({ accountId }, { ...options, projection: { _id: 1 } }).toArray();
  const ids = keys.map(({ _id }) => _id).filter((id) => after === undefined || id > after.keyId);
  const rest = after === undefined ? [] : [{ keyId: after.keyId, key: { $gt: after.key } }];
  const query = { $or: [...rest, { keyId: { $in: ids } }] };
  const spent = await spentKeys(c, query, { ...options, sort: { keyId: 1, key: 1 }, limit: PAGE });
  const ofAccount = { _id: { $in: spent.map(({ jobId }) => jobId) }, accountId };
  return {
    breaches: auditSpentKeys(spent, await existingIds(c.jobs, ofAccount, options)),
    next: nextOf(spent),
  };
};

const nextOf = <T>(page: readonly T[]) => (page.length < PAGE ? undefined : page.at(-1));

/** A page of the rows of an account, ordered by number. */
export async function rowPage(
  { ledger }: Collections,
  accountId: string,
  { after = Number.NEGATIVE_INFINITY, limit }: { after: number | undefined; limit: number },
  options: FindOptions = {},
): Promise<LedgerRow[]> {
  const rows = ledger.find({ accountId, seq: { $gt: after } }, options).sort({ seq: 1 });
  return (await rows.limit(limit).toArray()).map(toRecord);
}
