import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JobDraft } from '../../../lib/domain/records.ts';
import { keyWorkflowId } from '../../../lib/protocol/workflow-ids.ts';
import type { Stores } from '../../../lib/stores/stores.ts';
import { draftOf, newClient, newKey, type Owner } from '../../setup/records.ts';
import { storesUnderTest } from './under-test.ts';

/** Operations with the numbers of the job, key or amount that they are about. */
const OPERATIONS = [
  'accept',
  'accept',
  'acceptWithKey',
  'complete',
  'fail',
  'cancel',
  'void',
  'voidReplay',
  'replay',
  'fence',
  'remove',
  'dropInputs',
  'addPack',
  'refundPack',
  'credit',
  'newKey',
  'revokeKey',
  'disable',
  'enable',
  'close',
] as const;

interface Step {
  operation: (typeof OPERATIONS)[number];
  n: number;
}

/** An account and what has happened to it. */
interface Story {
  stores: Stores;
  client: Owner;
  drafts: JobDraft[];
  keyIds: string[];
  packIds: string[];
}

const nth = <T>(all: readonly T[], n: number): T | undefined => all[n % Math.max(1, all.length)];

const jobId = ({ drafts }: Story, n: number) => nth(drafts, n)?.jobId ?? randomUUID();

const RUN: Record<Step['operation'], (story: Story, n: number) => Promise<unknown>> = {
  accept: (story, n) => accept(story, draftOf(story.client, { imagesCharged: 1 + (n % 3) * 10 })),
  acceptWithKey(story, n) {
    const keyId = nth(story.keyIds, n) ?? story.client.keyId;
    const idempotencyKey = `order-${n % 4}`;
    const workflowId = keyWorkflowId(keyId, idempotencyKey);
    return accept(story, draftOf({ ...story.client, keyId }, { idempotencyKey, workflowId }));
  },
  complete: (story, n) => story.stores.jobs.complete(jobId(story, n), { results: [], processingMs: 1 }),
  fail: (story, n) =>
    story.stores.jobs.fail(jobId(story, n), { error: 'No.', failureReason: 'no_result', processingMs: null }),
  cancel: (story, n) =>
    story.stores.jobs.cancel(story.client.accountId, jobId(story, n), {
      error: 'No.',
      failureReason: 'no_result',
      processingMs: null,
    }),
  void: (story, n) => story.stores.jobs.void(jobId(story, n), jobId(story, n)),
  voidReplay: (story, n) => story.stores.jobs.void(jobId(story, n), 'replay'),
  replay: (story, n) => story.stores.jobs.recordReturned(jobId(story, n), 'replay'),
  fence: (story, n) => story.stores.jobs.fence(jobId(story, n)),
  remove: (story, n) => story.stores.jobs.remove([jobId(story, n), jobId(story, n + 1)]),
  dropInputs: (story, n) => story.stores.jobs.dropInputs([jobId(story, n)]),
  async addPack({ stores, client: { accountId }, packIds }, n) {
    const { pack } = await stores.packs.add({ accountId, images: 1 + n, reference: null });
    packIds.push(pack.id);
  },
  refundPack: ({ stores, packIds }, n) => stores.packs.refund(nth(packIds, n) ?? '', 1 + (n % 5)),
  credit: ({ stores, client: { accountId } }, n) =>
    stores.ledger.credit({ accountId, images: 1 + n, reason: 'a gift' }),
  async newKey({ stores, client, keyIds }) {
    const { key } = await newKey(stores, client.accountId);
    keyIds.push(key.id);
  },
  revokeKey: ({ stores, keyIds }, n) => stores.keys.revoke(nth(keyIds, n) ?? ''),
  disable: ({ stores, client }) => stores.accounts.setStatus(client.accountId, 'disabled'),
  enable: ({ stores, client }) => stores.accounts.setStatus(client.accountId, 'active'),
  async close({ stores, client: { accountId } }) {
    await stores.accounts.close(accountId, (await stores.accounts.get(accountId)).balance);
  },
};

/** A new job, or one that was asked for before: then it is accepted again. */
async function accept(story: Story, draft: JobDraft): Promise<void> {
  story.drafts.push(draft);
  await story.stores.jobs.accept(draft);
}

async function begin(stores: Stores): Promise<Story> {
  const client = await newClient(stores);
  return { stores, client, drafts: [], keyIds: [client.keyId], packIds: [] };
}

/** What the stores refuse is part of a valid history. */
const run = (story: Story, { operation, n }: Step) => RUN[operation](story, n).catch(() => {});

const steps = (length: number) =>
  fc.array(fc.record({ operation: fc.constantFrom(...OPERATIONS), n: fc.nat(11) }), {
    minLength: length / 2,
    maxLength: length,
    size: 'max',
  });

describe.each(storesUnderTest())('an audit: %s', (name, stores) => {
  test('finds nothing after any history of operations', async () => {
    await fc.assert(
      fc.asyncProperty(steps(40), async (history) => {
        const story = await begin(stores);
        for (const step of history) await run(story, step);
        expect(await stores.ledger.audit(story.client.accountId)).toEqual([]);
      }),
      { numRuns: name === 'the fake' ? 300 : 30 },
    );
    expect(await stores.ledger.audit()).toEqual([]);
  });

  test('finds nothing while operations are running, in any order', async () => {
    const [history = []] = fc.sample(steps(200), 1);
    const story = await begin(stores);
    const running = Promise.all(
      Array.from({ length: 5 }, async (_, first) => {
        for (let n = first; n < history.length; n += 5)
          await run(story, history[n] ?? { operation: 'accept', n });
      }),
    ).then(() => 'done');
    let outcome: unknown;
    do {
      expect(await stores.ledger.audit(story.client.accountId), JSON.stringify(history)).toEqual([]);
      outcome = await Promise.race([running, Promise.resolve('running')]);
    } while (outcome !== 'done');
    expect(await stores.ledger.audit(), JSON.stringify(history)).toEqual([]);
  });
});
