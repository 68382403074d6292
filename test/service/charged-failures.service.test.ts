import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Job } from '../../lib/contract/schemas.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { sampleImage, sampleJpeg } from '../setup/images.ts';
import type { Service } from '../setup/service.ts';
import { openWithUpstreams } from '../setup/upstream-service.ts';
import type { Upstreams } from '../setup/upstreams.ts';

const [REPLICATE, FAL] = ['declutter', 'floor-plan-to-3d'];
const ORDERS = {
  GENERATORS: 'preview',
  GENERATORS_FOR_REMOVAL: 'replicate',
  GENERATORS_FOR_FLOOR_PLANS: 'fal',
};

const open = closers();
let upstreams: Upstreams;
let service: Service;
let image_base64: string;

beforeAll(async () => {
  ({ upstreams, service } = await openWithUpstreams(open, ORDERS));
  open.use(await service.startWorker({ unavailableMs: 0 }));
  image_base64 = await sampleImage();
});
beforeEach(async () => upstreams.reset(await sampleJpeg(64, 48, '#2040a0')));
afterAll(() => open.close());

/** Runs one job of a new client. */
async function run(tool: string) {
  const client = await service.client();
  const created = await postJob(service.app, client.headers, { tool, image_base64 });
  const job = await ended(service.app, client.headers, created.json<Job>().job_id);
  const { balance, failures } = await service.stores.accounts.get(client.accountId);
  const calls = await service.stores.generatorCalls.list(job.job_id);
  return { job, balance, counted: failures?.jobs ?? 0, outcomes: calls.map(({ outcome }) => outcome) };
}

describe('a photo that the upstream rejects for a reason of its own', () => {
  test('is a refusal, for which nobody is alarmed, and counts', async () => {
    const detail = [{ loc: ['body', 'image_urls'], msg: 'Cannot be used', type: 'a_type_of_tomorrow' }];
    upstreams.of('fal').replies.poll = { status: 422, json: { detail } };
    const { job, ...after } = await run(FAL);

    expect(after).toEqual({ balance: 50, counted: 1, outcomes: ['refused'] });
    expect(job.error).toBe(
      'The image model could not use the image. Try another file or size. The charge was refunded.',
    );
  });
});

describe('a failed job counts towards the limit of its account', () => {
  test('when calls that may be charged brought no image', async () => {
    const replicate = upstreams.of('replicate');
    const error = 'ValueError: aspect ratio of the input must be between 1:2.5 and 2.5:1';
    replicate.replies.poll = { status: 200, json: { id: 'p1', status: 'failed', output: null, error } };
    const { job, ...after } = await run(REPLICATE);

    expect(job).toMatchObject({
      status: 'failed',
      error: 'The image could not be generated. The charge was refunded.',
    });
    expect(after).toEqual({ balance: 50, counted: 1, outcomes: ['unavailable'] });
    expect(replicate.submissions()).toBe(1);
  });

  test('but not when a call that may be charged failed by the configuration of this service', async () => {
    const detail = [{ loc: ['body', 'output_format'], msg: 'Input should be png', type: 'literal_error' }];
    upstreams.of('fal').replies.poll = { status: 422, json: { detail } };
    expect(await run(FAL)).toMatchObject({ balance: 50, counted: 0, outcomes: ['misconfigured'] });
  });

  test.each([
    ['was unavailable', 503, 'unavailable'],
    ['refused the key', 401, 'misconfigured'],
  ])('but not when the upstream %s and charges nothing', async (_, status, outcome) => {
    upstreams.of('replicate').replies.submit = { status, json: { detail: 'm' } };
    expect(await run(REPLICATE)).toMatchObject({ balance: 50, counted: 0, outcomes: [outcome] });
  });
});
