import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEgress, type Egress } from '../../../../lib/egress/egress.ts';
import { GeneratorError } from '../../../../lib/generators/errors.ts';
import { lost } from '../../../../lib/generators/upstream/classify.ts';
import {
  createUpstreamClient,
  type UpstreamCall,
  type UpstreamClientOptions,
} from '../../../../lib/generators/upstream/client.ts';
import { type FakeServer, QUICK_TIMING, type Reply, SECRET, serve } from './fake.ts';

let server: FakeServer;
let other: FakeServer;
let egress: Egress;
let reply: Reply;

beforeEach(async () => {
  reply = { status: 200, json: { id: '1' } };
  server = await serve(() => reply);
  other = await serve(() => reply);
  egress = createEgress({ allowOrigins: [server.origin, other.origin] });
});
afterEach(async () => {
  await egress[Symbol.asyncDispose]();
  await Promise.all([server, other].map((each) => each[Symbol.asyncDispose]()));
});

const client = (options: Partial<UpstreamClientOptions> = {}) =>
  createUpstreamClient({
    name: 'maker',
    egress,
    baseUrl: `${server.origin}/v9`,
    credentials: { authorization: `Bearer ${SECRET}` },
    rows: [],
    timing: QUICK_TIMING,
    ...options,
  });
const get = (changes: Partial<UpstreamCall> = {}): UpstreamCall => ({
  method: 'GET',
  url: '/tasks/1',
  instruction: 'Remove the clutter.',
  signal: new AbortController().signal,
  ...changes,
});
const failureOf = async (call: Promise<unknown>): Promise<GeneratorError> => {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  if (!(error instanceof GeneratorError)) throw error;
  return error;
};

describe('a call', () => {
  test('goes below the base URL with the key, and its JSON is parsed', async () => {
    const { json, status } = await client().call(get({ method: 'POST', json: { a: 1 } }));

    expect([status, json]).toEqual([200, { id: '1' }]);
    expect(server.seen).toMatchObject([
      {
        method: 'POST',
        path: '/v9/tasks/1',
        headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' },
      },
    ]);
    expect(server.seen[0]?.body.toString()).toBe('{"a":1}');
  });

  test('to a URL that the upstream has named has the key only at its own origin', async () => {
    await client().call(get({ url: `${server.origin}/poll?id=1` }));
    await client({ keyDomain: '127.0.0.1' }).call(get({ url: `${other.origin}/poll?id=1` }));

    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
    expect(other.seen[0]?.headers.authorization).toBeUndefined();
  });

  test('keeps a body that is no JSON as bytes', async () => {
    reply = { status: 200, bytes: Buffer.from([0xff, 0xd8]) };
    const { json, body } = await client().call(get());
    expect([json, [...body]]).toEqual([undefined, [0xff, 0xd8]]);
  });

  test.each([
    ['a submission that may have arrived', true, true],
    ['a look at a task', false, false],
  ])('may be charged after it was cut off when it is %s', async (_, submits, mayBeCharged) => {
    reply = (request) => request.destroy();
    const failure = await failureOf(client().call(get({ submits })));
    expect(failure).toMatchObject({ failure: { kind: 'unavailable' }, mayBeCharged });
  });

  test('rejects with the reason of an abort', async () => {
    const controller = new AbortController();
    const reason = new Error('stop');
    reply = () => controller.abort(reason);
    await expect(client().call(get({ signal: controller.signal }))).rejects.toBe(reason);
  });

  test('has a longer time when the response is the image itself', async () => {
    reply = () => {};
    const timing = { ...QUICK_TIMING, shortMs: 50, longMs: 60_000 };
    const controller = new AbortController();
    const slow = client({ timing }).call(get({ slow: true, signal: controller.signal }));
    await failureOf(client({ timing }).call(get()));
    controller.abort(new Error('still waiting'));
    await expect(slow).rejects.toThrow('still waiting');
  });
});

describe('a failure', () => {
  test('quotes the upstream in up to 500 characters, without the key, data and control characters', async () => {
    const text = `no ${SECRET} ${'QUJD'.repeat(50)} \u001b[31m ${'words '.repeat(200)}`;
    reply = { status: 418, json: { error: text } };
    const { message } = await failureOf(client().call(get()));

    expect(message).toContain('maker responded 418');
    expect(message).toContain('no [redacted] [data]');
    expect(message).not.toMatch(/\p{Cc}/u);
    expect(message.length).toBeLessThan(650);
  });

  test('of a submission is never that of an unknown task', async () => {
    reply = { status: 404, json: { detail: 'Not found' } };
    const rows = [{ row: 'the task is unknown', status: [404], failure: lost }];
    expect((await failureOf(client({ rows }).call(get()))).failure.kind).toBe('lost');
    const submission = await failureOf(client({ rows }).call(get({ submits: true })));
    expect(submission.failure.kind).toBe('misconfigured');
  });
});

describe('a download', () => {
  test('follows redirects and has no key', async () => {
    reply = { status: 200, bytes: Buffer.from('image'), headers: { 'content-type': 'image/png' } };
    const bytes = await client().download(`${other.origin}/r.png`, new AbortController().signal);

    expect(bytes.toString()).toBe('image');
    expect(other.seen[0]?.headers.authorization).toBeUndefined();
  });

  test.each([403, 404, 410])('that gets %i finds no result any more, which was paid for', async (status) => {
    reply = { status };
    const failure = await failureOf(client().download(`${other.origin}/r.png`, new AbortController().signal));
    expect(failure).toMatchObject({ failure: { kind: 'lost' }, mayBeCharged: true, upstreamWorks: true });
  });

  test.each([429, 500, 503])('that gets %i may succeed later, and charges nothing', async (status) => {
    reply = { status };
    const failure = await failureOf(client().download(`${other.origin}/r.png`, new AbortController().signal));
    expect(failure).toMatchObject({ failure: { kind: 'unavailable' }, mayBeCharged: false });
  });

  test.each(['http://10.0.0.1/r.png', 'http://localhost:1/r.png', 'file:///etc/passwd'])(
    'goes to public hosts only: %s',
    async (url) => {
      const failure = await failureOf(client().download(url, new AbortController().signal));
      expect(failure).toMatchObject({
        failure: { kind: 'refused', reason: 'no_result' },
        mayBeCharged: true,
      });
    },
  );
});
