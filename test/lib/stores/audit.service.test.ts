import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../lib/contract/limits.ts';
import type { JobDraft } from '../../../lib/domain/records.ts';
import { keyWorkflowId } from '../../../lib/protocol/workflow-ids.ts';
import type { Stores } from '../../../lib/stores/stores.ts';
import { draftOf, newClient, newKey } from '../../setup/records.ts';
import { type Planting, plantings } from './planting.ts';

const HOUR_MS = 3_600_000;
const NO = { error: 'No.', failureReason: 'no_result' as const, processingMs: null };

/**
 * A grant, a pack with a refund, and a job in every state, charged 2 images each. All have
 * idempotency keys.
 */
async function validBooks({ accounts, jobs, keys, packs }: Stores) {
  const client = await newClient({ accounts, keys });
  const { pack } = await packs.add({ accountId: client.accountId, images: 10, reference: null });
  await packs.refund(pack.id, 4);
  const accept = async (): Promise<JobDraft> => {
    const idempotencyKey = randomUUID();
    const workflowId = keyWorkflowId(client.keyId, 'digest');
    const draft = draftOf(client, { idempotencyKey, workflowId, imagesCharged: 2 });
    await jobs.accept(draft);
    return draft;
  };
  const names = ['processing', 'completed', 'failed', 'deleted', 'deletedFailed', 'voided', 'voidedFailed'];
  const accepted: JobDraft[] = [];
  for (const _name of names) accepted.push(await accept());
  const [processing = '', completed = '', failed = '', deleted = '', deletedFailed = '', ...others] =
    accepted.map(({ jobId }) => jobId);
  const [voided = '', voidedFailed = ''] = others;
  for (const id of [completed, deleted]) await jobs.complete(id, { results: [], processingMs: 1 });
  for (const id of [failed, deletedFailed, voidedFailed]) await jobs.fail(id, NO);
  await jobs.remove([deleted, deletedFailed]);
  for (const id of [voided, voidedFailed]) await jobs.void(id, id);
  const packId = pack.id;
  return { ...client, packId, processing, completed, failed, deleted, deletedFailed, voided, voidedFailed };
}

type Valid = Awaited<ReturnType<typeof validBooks>>;

/** What is planted, by its name, and the sentences that name it. */
const BREACHES: [name: string, plant: (p: Planting, v: Valid) => unknown, found: (v: Valid) => string[]][] = [
  [
    'a completed job that was refunded',
    (p, v) => p.post(reversal('refund', v, v.completed, 2)),
    (v) => [`job ${v.completed} (completed) has a refund of 2, expected no refund`],
  ],
  [
    'a processing job that was voided and is still there',
    (p, v) => p.post(reversal('void', v, v.processing, 2)),
    (v) => [`job ${v.processing} (processing) has a void of 2, expected no void`],
  ],
  [
    'a failed job that was refunded and voided',
    (p, v) => p.post(reversal('void', v, v.failed, 2)),
    (v) => [`job ${v.failed} (failed) has a void of 2, expected no void`],
  ],
  [
    'a job that is gone and was refunded and voided',
    (p, v) => p.post(reversal('refund', v, v.voided, 2)),
    (v) => [gone(v.voided, 'a charge of 2, a refund of 2, a void of 2')],
  ],
  [
    'a refund of more than the charge',
    (p, v) => failWith(p, v, 3),
    (v) => [`job ${v.processing} (failed) has a refund of 3, expected a refund of 2`],
  ],
  [
    'a partial refund',
    (p, v) => failWith(p, v, 1),
    (v) => [`job ${v.processing} (failed) has a refund of 1, expected a refund of 2`],
  ],
  [
    'a partial void',
    async (p, v) => {
      await p.post(reversal('void', v, v.processing, 1));
      await p.remove('jobs', v.processing);
      await p.unspend(v.processing);
    },
    (v) => [gone(v.processing, 'a charge of 2, no refund, a void of 1')],
  ],
  [
    'a failed job without a refund',
    (p, v) => p.set('jobs', v.completed, { status: 'failed' }),
    (v) => [`job ${v.completed} (failed) has no refund, expected a refund of 2`],
  ],
  [
    'a job that failed, was deleted and never refunded',
    (p, v) => p.set('jobs', v.deleted, { deleted: { at: new Date(), was: 'failed' } }),
    (v) => [`job ${v.deleted} (deleted, was failed) has no refund, expected a refund of 2`],
  ],
  [
    'a job that was deleted as completed and refunded',
    (p, v) => p.post(reversal('refund', v, v.deleted, 2)),
    (v) => [`job ${v.deleted} (deleted, was completed) has a refund of 2, expected no refund`],
  ],
  [
    'a job with another status than there is',
    (p, v) => p.set('jobs', v.completed, { status: 'lost' }),
    (v) => [`job ${v.completed} has the unknown end lost`],
  ],
  [
    'a job that has been processing for 26 hours',
    (p, v) => p.set('jobs', v.processing, { createdAt: new Date(Date.now() - 26.5 * HOUR_MS) }),
    (v) => [`job ${v.processing} has been processing for 26.5 hours, expected at most 25`],
  ],
  [
    'a charge that is not what the job says',
    (p, v) => p.set('jobs', v.completed, { imagesCharged: 1 }),
    (v) => [`job ${v.completed} (completed) has a charge of 2, expected a charge of 1`],
  ],
  [
    'a charge without a job',
    async (p, v) => {
      await p.remove('jobs', v.processing);
      await p.unspend(v.processing);
    },
    (v) => [gone(v.processing, 'a charge of 2, no refund, no void')],
  ],
  [
    'a job without a charge',
    (p, v) => p.copyJob(v.completed, `copy-of-${v.completed}`),
    (v) => [
      `job copy-of-${v.completed} (completed) has no charge, expected a charge of 2`,
      `job copy-of-${v.completed} has an idempotency key that is not spent`,
    ],
  ],
  [
    'an idempotency key that is spent on a job that does not exist, or was voided',
    async (p, v) => {
      await p.spend('no-job', v.keyId, 'a');
      await p.spend(v.voided, v.keyId, 'b');
    },
    (v) => ['no-job', v.voided].map((id) => spentOnNothing(id, v)),
  ],
  [
    'jobs whose idempotency key is not spent, also when they are deleted',
    async (p, v) => {
      await p.unspend(v.completed);
      await p.unspend(v.deleted);
    },
    (v) => [v.completed, v.deleted].map((id) => `job ${id} has an idempotency key that is not spent`),
  ],
  [
    'a job with another idempotency key than is spent on it, and one without any',
    async (p, v) => {
      await p.set('jobs', v.completed, { idempotencyKey: 'another' });
      await p.set('jobs', v.failed, { idempotencyKey: null });
    },
    (v) =>
      [v.completed, v.failed].map(
        (id) => `job ${id} has another idempotency key than the one that is spent on it`,
      ),
  ],
  [
    'a job whose idempotency key another key has spent',
    (p, v) => p.set('jobs', v.completed, { keyId: 'other-key' }),
    (v) => [`job ${v.completed} is of key other-key, but its idempotency key is spent by key ${v.keyId}`],
  ],
  [
    'a balance that was changed by hand',
    (p, v) => p.set('accounts', v.accountId, { balance: 1000 }),
    () => ['the balance is 1000, but the ledger ends at 50'],
  ],
  [
    'a missing row',
    (p, v) => p.remove('ledger', `pack-refund:${v.packId}:1`),
    (v) => [
      `row charge:${v.processing} has number 4, expected 3`,
      `row charge:${v.processing} has the balance 54, expected 58`,
      `pack ${v.packId} has 4 images refunded, but rows of 0`,
    ],
  ],
  [
    'a missing last row',
    (p, v) => p.remove('ledger', `void:${v.voided}`),
    (v) => [
      'the balance is 50, but the ledger ends at 48',
      'the account counts 14 rows, but the last row is number 13',
      gone(v.voided, 'a charge of 2, no refund, no void'),
    ],
  ],
  [
    'a row with another balance',
    (p, v) => p.set('ledger', `charge:${v.failed}`, { balanceAfter: -1 }),
    (v) => [
      `row charge:${v.failed} has the balance -1, expected 50`,
      `row charge:${v.failed} has a negative balance of -1`,
      `row charge:${v.deleted} has the balance 48, expected -3`,
    ],
  ],
  [
    'a row of another kind, and one of none that there is',
    async (p, v) => {
      await p.set('ledger', `charge:${v.failed}`, { kind: 'credit' });
      await p.set('ledger', `charge:${v.completed}`, { kind: 'gift' });
    },
    (v) => [
      `row charge:${v.failed} of the kind credit has another id than credit:`,
      `row charge:${v.failed} has the delta -2, expected more than 0`,
      `row charge:${v.completed} is of the unknown kind gift`,
    ],
  ],
  [
    'a row that names another job than its id',
    (p, v) => p.set('ledger', `charge:${v.failed}`, { jobId: v.completed }),
    (v) => [`row charge:${v.failed} of the kind charge has another id than charge:${v.completed}`],
  ],
  [
    'deltas with the wrong sign',
    async (p, { accountId }) => {
      await p.post({ id: 'credit:x', accountId, kind: 'credit', delta: -1 });
      await p.post({ id: 'forfeit:x', accountId, kind: 'forfeit', delta: 1 });
    },
    () => [
      'row credit:x has the delta -1, expected more than 0',
      'row forfeit:x has the delta 1, expected less than 0',
    ],
  ],
  [
    'a second grant, of another size',
    (p, { accountId }) => p.post({ id: 'grant:free60:x', accountId, kind: 'grant', delta: 60 }),
    ({ accountId }) => [
      `row grant:free60:x of the kind grant has another id than grant:free50:${accountId}`,
      `row grant:free60:x has the delta 60, expected ${LIMITS.freeImages}`,
    ],
  ],
  [
    'a pack of another size than was posted',
    (p, v) => p.set('packs', v.packId, { images: 12 }),
    (v) => [`pack ${v.packId} has 12 images, but a row of 10`],
  ],
  [
    'a refund of a pack that was not posted, of more than it has',
    (p, v) => p.set('packs', v.packId, { refunded: 11 }),
    (v) => [
      `pack ${v.packId} has 11 images refunded, but rows of 4`,
      `pack ${v.packId} has 11 images refunded of 10`,
    ],
  ],
  [
    'a pack that does not exist',
    (p, v) => p.remove('packs', v.packId),
    (v) => [`pack ${v.packId} does not exist, but its rows sum to 6`],
  ],
  [
    'a closed account with a balance',
    (p, v) => p.set('accounts', v.accountId, { status: 'closed' }),
    () => ['the account is closed, but the balance is 50'],
  ],
];

const reversal = (kind: 'refund' | 'void', { accountId }: Valid, jobId: string, delta: number) => ({
  id: `${kind}:${jobId}`,
  accountId,
  kind,
  jobId,
  delta,
});

async function failWith(p: Planting, v: Valid, refund: number): Promise<void> {
  await p.set('jobs', v.processing, { status: 'failed' });
  await p.post(reversal('refund', v, v.processing, refund));
}

const gone = (id: string, amounts: string) =>
  `job ${id} does not exist, but has ${amounts}, expected one reversal of its charge`;
const spentOnNothing = (id: string, { keyId }: Valid) =>
  `job ${id} does not exist, but an idempotency key of key ${keyId} is spent on it`;

describe.each(plantings())('an audit: %s', (_name, stores, planting) => {
  const { accounts, ledger } = stores;

  test('of valid books finds nothing', async () => {
    const { accountId } = await validBooks(stores);
    expect(await ledger.audit(accountId)).toEqual([]);
  });

  test.each(BREACHES)('finds %s', async (_breach, plant, found) => {
    const valid = await validBooks(stores);
    const { accountId } = valid;
    await plant(planting, valid);
    const expected = found(valid).map((breach) => `account ${accountId}: ${breach}`);
    expect((await ledger.audit(accountId)).sort()).toEqual(expected.sort());
  });

  test('finds an account with a key, but without its free images', async () => {
    const { id } = await accounts.create({ name: 'A', webhookUrl: null, webhookSecret: 'whsec_a' });
    const { key } = await newKey(stores, (await newClient(stores)).accountId);
    await planting.set('keys', key.id, { accountId: id });
    expect(await ledger.audit(id)).toEqual([
      `account ${id}: the account has keys, but no grant of ${LIMITS.freeImages}`,
    ]);
  });

  test('of one account ignores the others', async () => {
    const [one, other] = [await validBooks(stores), await validBooks(stores)];
    await planting.set('accounts', one.accountId, { balance: 1 });
    expect(await ledger.audit(other.accountId)).toEqual([]);
    expect(await ledger.audit(one.accountId)).toHaveLength(1);
  });
});

describe.each(plantings())('an audit of all accounts: %s', (_name, stores, planting) => {
  const { ledger } = stores;

  test('finds what belongs to an account that is gone, and idempotency keys without a key and a job', async () => {
    const [kept, removed] = [await validBooks(stores), await validBooks(stores)];
    expect(await ledger.audit()).toEqual([]);
    await planting.remove('accounts', removed.accountId);
    await planting.remove('keys', kept.keyId);
    await planting.spend('no-job', kept.keyId, 'a');
    await planting.spend(kept.voided, kept.keyId, 'b');
    const account = `account ${removed.accountId}: it does not exist, but`;
    const expected = [
      `${account} 14 of the ledger rows name it, which sum to 50`,
      `${account} 5 of the jobs name it`,
      `${account} 1 of the packs name it`,
      `${account} 1 of the keys name it`,
      `key ${kept.keyId}: it does not exist, but 2 of the idempotency keys name it`,
    ];
    expect((await ledger.auditOrphans()).sort()).toEqual(expected.sort());
    expect((await ledger.audit()).sort()).toEqual(expected.sort());
  });

  test('keeps the outcome of the last one; before the first, as old as the oldest account', async () => {
    const oldest = await stores.accounts.list(100);
    expect(await ledger.lastAudit()).toEqual({ at: oldest.at(-1)?.createdAt, breaches: 0 });
    await ledger.recordAudit({ at: new Date(0), breaches: 1 });
    const outcome = { at: new Date(), breaches: 0 };
    await ledger.recordAudit(outcome);
    expect(await ledger.lastAudit()).toEqual(outcome);
  });
});
