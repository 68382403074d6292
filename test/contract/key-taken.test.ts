import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { bodyDigest, createJobBodyReader } from '../../api/intake/job-body.ts';
import { FAILED_JOBS } from '../../lib/contract/limits.ts';
import { postJob } from '../setup/client.ts';
import { sampleJpeg } from '../setup/images.ts';
import { draftOf } from '../setup/records.ts';
import { startFakeApi } from './fake-api.ts';
import { error, outcome } from './responses.ts';

let api: Awaited<ReturnType<typeof startFakeApi>>;
let body: { tool: string; image_base64: string };
let client: Awaited<ReturnType<typeof api.client>>;
/**
 * Runs after a request has looked for its key, and before all that may refuse it. The stores in
 * memory act at once.
 */
let meanwhile: () => { disabled: boolean };

beforeAll(async () => {
  const image = await sampleJpeg();
  body = { tool: 'declutter', image_base64: image.toString('base64') };
  api = await startFakeApi(image, {
    toolSwitch: { isDisabled: () => meanwhile().disabled, [Symbol.asyncDispose]: async () => {} },
  });
});
beforeEach(async () => {
  client = await api.client();
  meanwhile = () => ({ disabled: false });
});
afterAll(() => api?.[Symbol.asyncDispose]());

const post = () => postJob(api.app, client.headers, body, 'key');

/** The job of a request with the same key, accepted while another one is checked. */
async function otherRequest(imagesCharged = 1) {
  const [caller] = await api.stores.keys.list(client.accountId);
  const reader = createJobBodyReader();
  reader.write(Buffer.from(JSON.stringify(body)));
  const same = { idempotencyKey: 'key', bodyDigest: bodyDigest(reader.end()), imagesCharged };
  return draftOf({ accountId: client.accountId, keyId: caller?.id ?? '' }, same);
}

test('a request whose balance was spent by another one with its key is answered with that job', async () => {
  const { balance } = await api.stores.accounts.get(client.accountId);
  const draft = await otherRequest(balance);
  meanwhile = () => {
    void api.stores.jobs.accept(draft);
    return { disabled: false };
  };
  const response = await post();
  expect([outcome(response), response.json().job_id]).toEqual(['201', draft.jobId]);
  expect((await api.stores.accounts.get(client.accountId)).balance).toBe(0);
});

test('a request whose tool was switched off after another one with its key is answered with that job', async () => {
  const draft = await otherRequest();
  meanwhile = () => {
    void api.stores.jobs.accept(draft);
    return { disabled: true };
  };
  const response = await post();
  expect([outcome(response), response.json().job_id]).toEqual(['201', draft.jobId]);
});

test('a request whose account has failed too often since another one with its key is answered with that job', async () => {
  const draft = await otherRequest();
  meanwhile = () => {
    void api.stores.jobs.accept(draft);
    for (let n = 0; n < FAILED_JOBS.paidAccount; n += 1) {
      const damaged = draftOf(draft);
      void api.stores.jobs.accept(damaged);
      void api.stores.jobs.fail(damaged.jobId, {
        error: 'Damaged.',
        failureReason: 'no_result',
        processingMs: 1,
        counted: true,
      });
    }
    return { disabled: false };
  };
  const response = await post();
  expect([outcome(response), response.json().job_id]).toEqual(['201', draft.jobId]);
});

test('a request whose key was used with another body meanwhile is a conflict, whatever else would refuse it', async () => {
  const draft = { ...(await otherRequest()), bodyDigest: 'of another body' };
  meanwhile = () => {
    void api.stores.jobs.accept(draft);
    return { disabled: true };
  };
  expect(outcome(await post())).toBe(error('idempotency_conflict'));
});

test('a request whose key is still free is refused', async () => {
  meanwhile = () => ({ disabled: true });
  expect(outcome(await post())).toBe(error('invalid_tool'));
});
