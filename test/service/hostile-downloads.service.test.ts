import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Job } from '../../lib/contract/schemas.ts';
import { createGenerators } from '../../lib/generators/registry.ts';
import { TIMING } from '../../lib/generators/upstream/client.ts';
import { type FakeServer, type Reply, serve } from '../lib/generators/upstreams/fake.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { sampleImage, sampleJpeg } from '../setup/images.ts';
import type { Service } from '../setup/service.ts';
import { openWithUpstreams } from '../setup/upstream-service.ts';
import type { Upstreams } from '../setup/upstreams.ts';

/** As in production, but for the limits that a test would wait for. */
const QUICK = { ...TIMING, pollMs: 50, longMs: 5000, downloadMs: 5000 };
const [FAL, OPENAI, HONEST] = ['floor-plan-to-3d', 'declutter', 'roof-replacement'];
const NOT_USABLE = 'The image model returned no usable image. The charge was refunded.';
const NOT_GENERATED = 'The image could not be generated. The charge was refunded.';

const open = closers();
let upstreams: Upstreams;
let service: Service;
/** A host on a private network, and another one whose results the operator allows. */
let foreign: FakeServer;
let named: FakeServer;
let image: Buffer;
let image_base64: string;

beforeAll(async () => {
  image = await sampleJpeg(64, 48, '#2040a0');
  image_base64 = await sampleImage();
  foreign = open.use(await serve(() => ({ status: 200, bytes: image })));
  named = open.use(await serve(() => ({ status: 200, bytes: image })));
  const orders = {
    GENERATORS: 'gemini',
    GENERATORS_FOR_FLOOR_PLANS: 'fal',
    GENERATORS_FOR_REMOVAL: 'openai',
  };
  ({ upstreams, service } = await openWithUpstreams(open, { ...orders, FAL_RESULT_ORIGINS: named.origin }));
  const generators = open.use(createGenerators(service.config.generators, QUICK));
  open.use(await service.startWorker({ generators }));
});
beforeEach(() => {
  upstreams.reset(image);
  foreign.seen.length = 0;
});
afterAll(() => open.close());

async function start(tool: string) {
  const client = await service.client();
  const created = await postJob(service.app, client.headers, { tool, image_base64 });
  return { client, jobId: created.json<Job>().job_id };
}

/** How a job has ended, for its client, its account and its operator. */
async function outcomeOf({ client, jobId }: Awaited<ReturnType<typeof start>>) {
  const { status, error } = await ended(service.app, client.headers, jobId);
  const { balance } = await service.stores.accounts.get(client.accountId);
  const calls = await service.stores.generatorCalls.list(jobId);
  const { status: workflow } = await vi.waitFor(async () => {
    const described = await service.temporal.workflow.getHandle(`job:${jobId}`).describe();
    if (described.status.name === 'RUNNING') throw new Error('The workflow is running.');
    return described;
  }, 60_000);
  return { status, error, balance, workflow: workflow.name, outcomes: calls.map(({ outcome }) => outcome) };
}

/** Runs a job for hostile results, while the jobs of other clients go on. */
async function run(tool: string) {
  const [hostile, honest] = await Promise.all([start(tool).then(outcomeOf), start(HONEST).then(outcomeOf)]);
  expect(honest).toMatchObject({ status: 'completed', balance: 49 });
  return hostile;
}

const refunded = { status: 'failed', balance: 50, workflow: 'COMPLETED' };
const completed = { status: 'completed', balance: 49, workflow: 'COMPLETED', error: null };

/** Serves a byte every 20 ms, of many. */
function drip(_: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-length': '1000000' });
  const timer = setInterval(() => response.write('x'), 20);
  response.on('close', () => clearInterval(timer));
}

/** The reply of the first requests, and then another one. */
function first(count: number, early: Reply, late: Reply): Reply {
  let requests = 0;
  return (request, response) => {
    requests += 1;
    const reply = requests <= count ? early : late;
    if (typeof reply === 'function') return reply(request, response);
    response.writeHead(reply.status).end(reply.bytes);
  };
}

const whole = (): Reply => ({ status: 200, bytes: image });

describe('a result of fal that has expired', () => {
  test.each([403, 404, 410])('costs two submissions at most, and is refunded: %i', async (status) => {
    upstreams.of('fal').replies.result = { status };
    const outcome = await run(FAL);
    expect(outcome).toMatchObject({ ...refunded, error: NOT_GENERATED });
    expect(outcome.outcomes).toEqual(['unavailable', 'unavailable']);
    expect(upstreams.submissions()).toMatchObject({ fal: 2 });
  });

  test('is submitted once more, under the same charge', async () => {
    upstreams.of('fal').replies.result = first(5, { status: 410 }, whole());
    const outcome = await run(FAL);
    expect(outcome).toMatchObject({ ...completed, outcomes: ['unavailable', 'completed'] });
    expect(upstreams.submissions()).toMatchObject({ fal: 2 });
  });

  test('for a while is not submitted again', async () => {
    upstreams.of('fal').replies.result = first(3, { status: 404 }, whole());
    expect(await run(FAL)).toMatchObject({ ...completed, outcomes: ['completed'] });
    expect(upstreams.submissions()).toMatchObject({ fal: 1 });
  });
});

describe('a result of fal that arrives byte by byte', () => {
  test('is downloaded again, and nothing is submitted again', async () => {
    upstreams.of('fal').replies.result = first(2, drip, whole());
    expect(await run(FAL)).toMatchObject({ ...completed, outcomes: ['completed'] });
    expect(upstreams.submissions()).toMatchObject({ fal: 1 });
  });

  test('and never ends leaves places to other accounts, and ends with its job', async () => {
    const fal = upstreams.of('fal');
    let dripping = 0;
    fal.replies.result = (request, response) => {
      dripping += 1;
      response.on('close', () => {
        dripping -= 1;
      });
      drip(request, response);
    };
    const hostile = await start(FAL);
    await vi.waitFor(async () => expect(dripping).toBe(1), 60_000);
    // The next task of another account has a result that can be had.
    const { replies } = fal;
    const slow = replies.result;
    replies.result = whole();
    expect(await outcomeOf(await start(FAL))).toMatchObject(completed);
    replies.result = slow;
    await service.temporal.workflow.getHandle(`job:${hostile.jobId}`).cancel();

    expect(await outcomeOf(hostile)).toMatchObject({ ...refunded, outcomes: ['cancelled'] });
    await vi.waitFor(async () => expect(dripping).toBe(0), 60_000);
    expect([fal.submissions(), fal.cancellations()]).toEqual([2, 1]);
  });
});

describe('a result of fal on a foreign host', () => {
  const result = (url: string): Reply => ({ status: 200, json: { images: [{ url }] } });
  const addresses: [string, () => string][] = [
    ['on a private network', () => `${foreign.origin}/i.jpg`],
    ['by its name', () => 'https://mongo.internal/i.jpg'],
    ['the metadata of a cloud', () => 'http://169.254.169.254/latest/meta-data'],
    ['a file', () => 'file:///etc/passwd'],
    ['with credentials', () => 'https://user:secret@example.com/i.jpg'],
  ];

  test.each(addresses)('ends the job after one submission, and is not called: %s', async (_, address) => {
    upstreams.of('fal').replies.poll = result(address());
    const outcome = await run(FAL);
    expect(outcome).toMatchObject({ ...refunded, error: NOT_USABLE, outcomes: ['refused'] });
    expect(upstreams.submissions()).toMatchObject({ fal: 1 });
    expect(foreign.connections()).toBe(0);
  });

  test('that a redirect names is not called either', async () => {
    const location = `${foreign.origin}/i.jpg`;
    upstreams.of('fal').replies.result = { status: 302, headers: { location } };
    expect(await run(FAL)).toMatchObject({ ...refunded, error: NOT_USABLE, outcomes: ['refused'] });
    expect(foreign.connections()).toBe(0);
  });

  test('that the operator has named is used', async () => {
    upstreams.of('fal').replies.poll = result(`${named.origin}/i.jpg`);
    expect(await run(FAL)).toMatchObject(completed);
    expect(named.seen).toHaveLength(1);
  });

  test.each(['status_url', 'response_url'])(
    'is not called as %s, which costs two submissions',
    async (name) => {
      const fal = upstreams.of('fal');
      const { submit } = fal.replies;
      if ('json' in submit)
        fal.replies.submit = { ...submit, json: { ...Object(submit.json), [name]: `${foreign.origin}/q1` } };
      expect(await run(FAL)).toMatchObject({ ...refunded, error: NOT_GENERATED });
      expect([fal.submissions(), foreign.connections()]).toEqual([2, 0]);
    },
  );
});

describe('a response of OpenAI', () => {
  test.each([
    ['on a foreign host', () => `${foreign.origin}/i.jpg`],
    ['that has expired', () => `${upstreams.of('openai').server.origin}/gone`],
  ])(
    'with the address of a result %s is refunded after one call, and nothing is fetched',
    async (_, address) => {
      const openai = upstreams.of('openai');
      openai.replies.submit = { status: 200, json: { created: 1, data: [{ url: address() }] } };
      const outcome = await run(OPENAI);
      expect(outcome).toMatchObject({ ...refunded, error: NOT_USABLE, outcomes: ['refused'] });
      expect(openai.submissions()).toBe(1);
      expect([foreign.connections(), openai.server.seen.filter(({ method }) => method === 'GET')]).toEqual([
        0,
        [],
      ]);
    },
  );

  test('that arrives byte by byte costs two calls, and is refunded', async () => {
    upstreams.of('openai').replies.submit = drip;
    const outcome = await run(OPENAI);
    expect(outcome).toMatchObject({ ...refunded, error: NOT_GENERATED });
    expect(outcome.outcomes).toEqual(['unavailable', 'unavailable']);
    expect(upstreams.submissions()).toMatchObject({ openai: 2 });
  });

  test('that redirects to a foreign host is not followed', async () => {
    const location = `${foreign.origin}/v1/images/edits`;
    upstreams.of('openai').replies.submit = { status: 307, headers: { location } };
    expect(await run(OPENAI)).toMatchObject(refunded);
    expect(foreign.connections()).toBe(0);
  });
});
