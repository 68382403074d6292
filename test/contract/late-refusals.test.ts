import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { buildApp } from '../../api/app.ts';
import type { GatewayOutcome, JobGateway } from '../../api/jobs/gateway.ts';
import type { Acceptance, JobDraft } from '../../lib/domain/records.ts';
import { postJob } from '../setup/client.ts';
import { sampleJpeg } from '../setup/images.ts';
import { draftOf } from '../setup/records.ts';
import { startFakeApi } from './fake-api.ts';
import { storingGateway } from './gateway.ts';
import { error, outcome } from './responses.ts';

let api: Awaited<ReturnType<typeof startFakeApi>>;
/** It can pay for one image. */
let client: Awaited<ReturnType<typeof api.client>>;
let body: object;
/**
 * What the calls of the next request are answered, in order. Others are accepted as a worker does
 * it.
 */
let answers: ((draft: JobDraft) => Promise<GatewayOutcome>)[];
/** The drafts that were sent to Temporal. A copy of one may arrive at any time. */
let sent: JobDraft[];

beforeAll(async () => {
  const image = await sampleJpeg();
  body = { tool: 'declutter', image_base64: image.toString('base64') };
  const accept: JobGateway['accept'] = async ({ draft }) => {
    sent.push(draft);
    return (answers.shift() ?? acceptance)(draft);
  };
  api = await startFakeApi(image, { jobGateway: { ...storingGateway({ accept: acceptance }), accept } });
});
beforeEach(async () => {
  [answers, sent] = [[], []];
  client = await api.client();
  const { balance } = await api.stores.accounts.get(client.accountId);
  await api.stores.jobs.accept(draftOf({ ...client, keyId: '' }, { imagesCharged: balance - 1 }));
});
afterAll(() => api?.[Symbol.asyncDispose]());

/** As the worker does it: a refusal for the balance is final. */
async function acceptance(draft: JobDraft): Promise<Acceptance> {
  const accepted = await api.stores.jobs.accept(draft);
  if (accepted.outcome === 'insufficient_credits') await api.stores.jobs.fence(draft.jobId, true);
  return accepted;
}

/** Another request with the same key and another body, whose workflow this one joins. */
const joined = (imagesCharged: number, meanwhile = async (_other: JobDraft) => {}) => {
  return async ({ accountId, keyId, idempotencyKey }: JobDraft) => {
    const other = draftOf({ accountId, keyId }, { idempotencyKey, imagesCharged, bodyDigest: 'other' });
    const accepted = await acceptance(other);
    await meanwhile(other);
    return accepted;
  };
};

const post = () => postJob(api.app, client.headers, body, 'key');
const balance = async () => (await api.stores.accounts.get(client.accountId)).balance;
const buy = () => api.stores.packs.add({ accountId: client.accountId, images: 10, reference: null });

/** Every copy of the request's calls arrives now. */
async function arriveLate(): Promise<string[]> {
  const outcomes = [];
  for (const draft of sent) outcomes.push((await api.stores.jobs.accept(draft)).outcome);
  return outcomes;
}

test('a request is not refused for the price of another one with its key', async () => {
  answers = [joined(2)];
  const response = await post();
  expect([outcome(response), await balance()]).toEqual(['201', 0]);
  expect(sent.map(({ jobId }) => jobId)).toEqual([response.json().job_id, response.json().job_id]);
  expect(sent[1]?.workflowId).not.toBe(sent[0]?.workflowId);
});

test('a request that was answered 402 is not charged by a copy of its call that arrives later', async () => {
  const spend = async ({ accountId, keyId }: JobDraft) => {
    await api.stores.jobs.accept(draftOf({ accountId, keyId }));
  };
  answers = [joined(2, spend)];
  expect(outcome(await post())).toBe(error('insufficient_credits'));
  await buy();
  expect(await arriveLate()).not.toContain('accepted');
  expect(await balance()).toBe(10);
});

test.each<[string, (other: JobDraft) => GatewayOutcome]>([
  ['joined', ({ jobId, bodyDigest }) => ({ outcome: 'accepted', jobId, bodyDigest })],
  ['found when its workflow had ended', () => ({ outcome: 'closed' })],
])(
  'a request that was answered 409 because of another one, %s, is not charged by a late copy',
  async (_how, found) => {
    let other: JobDraft | undefined;
    answers = [
      async (draft) => {
        await joined(1, async (accepted) => {
          other = accepted;
        })(draft);
        return other === undefined ? { outcome: 'closed' } : found(other);
      },
    ];
    expect(outcome(await post())).toBe(error('idempotency_conflict'));
    // The other one ends in 5xx, which frees the key.
    const { jobId = '' } = other ?? {};
    expect(await api.stores.jobs.void(jobId, jobId)).toBe(true);
    expect(await arriveLate()).toEqual(['voided']);
    expect(await balance()).toBe(1);
  },
);

test('a request that a copy of its call has accepted is answered with the job, not with a refusal', async () => {
  // The other one is voided, and the copy arrives before the answer of the first call does.
  const other = joined(1, async ({ jobId }) => void (await api.stores.jobs.void(jobId, jobId)));
  answers = [
    async (draft) => {
      const conflict = await other(draft);
      await acceptance(draft);
      return conflict;
    },
  ];
  const response = await post();
  expect([outcome(response), response.json().job_id]).toEqual(['201', sent[0]?.jobId]);
  expect(await balance()).toBe(0);
});

test('a request whose refusal cannot be made final is answered 500', async () => {
  const fence = () => Promise.reject(new Error('MongoDB is down'));
  const stores = { ...api.stores, jobs: { ...api.stores.jobs, fence } };
  await using app = buildApp({ ...api.deps, stores });
  answers = [joined(1)];
  const response = await postJob(app, client.headers, body, 'key');
  expect(outcome(response)).toBe(error('internal_error'));
  expect(response.json().error.message).not.toContain('Nothing was charged');
});
