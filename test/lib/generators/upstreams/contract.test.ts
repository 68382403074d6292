import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { UpstreamTask } from '../../../../lib/domain/generator-call.ts';
import { GeneratorError } from '../../../../lib/generators/errors.ts';
import { startBfl } from './bfl.ts';
import { startComfyui } from './comfyui.ts';
import {
  type FakeServer,
  type FakeWithAdapter,
  type RenderChanges,
  type Reply,
  renderOf,
  SECRET,
} from './fake.ts';
import { startFal } from './fal.ts';
import { startGemini } from './gemini.ts';
import { startOpenai } from './openai.ts';
import { startReplicate } from './replicate.ts';

const UPSTREAMS = [
  { name: 'gemini', start: startGemini, hasTasks: false, charges: true },
  { name: 'openai', start: startOpenai, hasTasks: false, charges: true },
  { name: 'bfl', start: startBfl, hasTasks: true, charges: true },
  { name: 'replicate', start: startReplicate, hasTasks: true, charges: true },
  { name: 'fal', start: startFal, hasTasks: true, charges: true },
  { name: 'comfyui', start: startComfyui, hasTasks: true, charges: false },
];

/** Black Forest Labs has no way to cancel. */
const canCancel = ({ generator }: FakeWithAdapter) => generator.name !== 'bfl';

/** A new fake for each test of the suite. */
function withFake(start: () => Promise<FakeWithAdapter>) {
  const held: { fake?: FakeWithAdapter } = {};
  beforeEach(async () => {
    held.fake = await start();
  });
  afterEach(() => held.fake?.[Symbol.asyncDispose]());
  const fake = () => {
    if (held.fake === undefined) throw new Error('The fake has not started.');
    return held.fake;
  };
  const render = async (changes: RenderChanges = {}) => fake().generator.render(await renderOf(changes));
  const failure = async (changes: RenderChanges = {}) => {
    const error: unknown = await render(changes).catch((thrown: unknown) => thrown);
    if (!(error instanceof GeneratorError)) throw error;
    return { ...error.failure, mayBeCharged: error.mayBeCharged, message: error.message };
  };
  return { fake, render, failure };
}

describe.each(UPSTREAMS)('the adapter of $name', ({ start, hasTasks, charges }) => {
  const { fake, render, failure } = withFake(start);

  test('returns the image of one submission', async () => {
    const { bytes } = await render();
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
    expect(fake().submissions()).toBe(1);
    expect(fake().generator.charges).toBe(charges);
  });

  test('sends its key to the upstream, and to nobody else', async () => {
    await render();
    const keys = (server: FakeServer) => server.seen.filter((one) => JSON.stringify(one).includes(SECRET));
    expect(keys(fake().results)).toEqual([]);
    if (charges) expect(keys(fake().server)).toHaveLength(fake().server.seen.length);
  });

  const faults: [string, Reply, boolean][] = [
    ['hangs', () => {}, true],
    [
      'hangs after the head',
      (_, response) => void response.writeHead(200, { 'content-length': '9' }).write('{'),
      true,
    ],
    [
      'cuts the body',
      (_, response) => {
        response.writeHead(200, { 'content-length': '900' });
        response.write('{"id":');
        response.destroy();
      },
      true,
    ],
    ['closes the connection', (request) => request.destroy(), true],
    ['says 502 in HTML', (_, response) => void response.writeHead(502).end('<html>Bad gateway</html>'), true],
    ['says 504', { status: 504 }, true],
    ['says 503', { status: 503, json: { error: 'overloaded' } }, false],
    ['says 500', { status: 500, json: { error: 'oops' } }, false],
    ['says 200 in HTML', (_, response) => void response.writeHead(200).end('<html>Welcome</html>'), true],
  ];
  test.each(faults)('fails as unavailable when the submission %s', async (_, reply, mayBeCharged) => {
    fake().replies.submit = reply;
    expect(await failure()).toMatchObject({ kind: 'unavailable', mayBeCharged });
    expect(fake().submissions()).toBe(1);
  });

  test('does not follow a redirect, which would send the key elsewhere', async () => {
    fake().replies.submit = { status: 307, headers: { location: `${fake().results.origin}/stolen` } };
    expect(await failure()).toMatchObject({ kind: 'misconfigured', mayBeCharged: false });
    expect(fake().results.seen).toEqual([]);
  });

  test.each([
    [401, 'misconfigured'],
    [403, 'misconfigured'],
    [402, 'misconfigured'],
    [404, 'misconfigured'],
    [413, 'refused'],
    [429, 'unavailable'],
  ])('knows what %i means, and that nothing was charged', async (status, kind) => {
    fake().replies.submit = { status, json: { error: 'no' } };
    const failed = await failure();
    expect(failed.kind).toBe(kind);
    expect(failed.mayBeCharged).toBe(false);
  });

  test.each([
    ['7', 7000],
    ['0', 1000],
    ['9999', 300_000],
  ])('waits as long as a rate limit asks for, between 1 s and 5 minutes: %s', async (asked, waits) => {
    fake().replies.submit = { status: 429, json: {}, headers: { 'retry-after': asked } };
    expect(await failure()).toMatchObject({ kind: 'unavailable', retryAfterMs: waits });
  });

  test('keeps keys and image data out of its messages', async () => {
    const text = `key ${SECRET} data ${'QUJD'.repeat(100)} \u0000\u001b[31m`;
    fake().replies.submit = { status: 400, json: { error: { message: text } } };
    const { message } = await failure();
    if (charges) expect(message).not.toContain(SECRET);
    expect(message).not.toContain('QUJDQUJDQUJD');
    expect(message).not.toMatch(/\p{Cc}/u);
  });

  test('cannot have been charged when the connection was refused', async () => {
    await fake().server[Symbol.asyncDispose]();
    expect(await failure()).toMatchObject({ kind: 'unavailable', mayBeCharged: false });
  });

  test('ends with the reason of an abort', async () => {
    const controller = new AbortController();
    const reason = new Error('the worker stops');
    fake().replies.poll = () => controller.abort(reason);
    if (!hasTasks) fake().replies.submit = () => controller.abort(reason);
    await expect(render({ signal: controller.signal })).rejects.toBe(reason);
    expect(fake().cancellations()).toBe(0);
  });
});

describe.each(UPSTREAMS.filter(({ hasTasks }) => hasTasks))('the tasks of $name', ({ start }) => {
  const { fake, render, failure } = withFake(start);

  /** The task that a render has named. */
  async function submitted(): Promise<UpstreamTask> {
    const tasks: UpstreamTask[] = [];
    await render({ onSubmitted: async (task) => void tasks.push(task) });
    const [task] = tasks;
    if (task === undefined) throw new Error('No task was named.');
    return task;
  }

  test('names the task before it asks for the result', async () => {
    let looks = 0;
    await render({
      onSubmitted: async () => {
        looks = fake().server.seen.length;
      },
    });
    const submission = fake()
      .server.seen.slice(0, looks)
      .filter(({ method }) => method === 'POST');
    expect(submission.length).toBeGreaterThan(0);
    expect(looks).toBeLessThan(fake().server.seen.length);
  });

  test('resumes a task and submits nothing', async () => {
    const task = await submitted();
    expect((await render({ resume: { task, since: performance.now() } })).bytes.length).toBeGreaterThan(100);
    expect(fake().submissions()).toBe(1);
  });

  const failedPolls: [string, (response: ServerResponse) => void][] = [
    ['are cut off', (response) => response.destroy()],
    ['get a 502', (response) => response.writeHead(502).end('<html>Bad gateway</html>')],
    ['get a 504', (response) => response.writeHead(504).end()],
    ['get a web page', (response) => response.writeHead(200).end('<html>Maintenance</html>')],
    ['are denied', (response) => response.writeHead(403).end('<html>Blocked</html>')],
    ['are too many', (response) => response.writeHead(429, { 'retry-after': '30' }).end('{}')],
  ];
  test.each(failedPolls)('keeps looking when a few polls %s', async (_, fail) => {
    const { poll } = fake().replies;
    let failures = 0;
    fake().replies.poll = (_, response) => {
      failures += 1;
      if (failures === 3) fake().replies.poll = poll;
      fail(response);
    };
    await render();
    expect([fake().submissions(), fake().cancellations()]).toEqual([1, 0]);
  });

  test('asks to cancel a task that it may not look at, because another generator is asked next', async () => {
    fake().replies.poll = { status: 401 };
    expect(await failure()).toMatchObject({ kind: 'misconfigured' });
    expect(fake().cancellations()).toBe(canCancel(fake()) ? 1 : 0);
  });

  test('does not submit again at once when the upstream does not know a new task', async () => {
    fake().replies.poll = (_, response) => {
      response.writeHead(fake().generator.name === 'comfyui' ? 200 : 404);
      response.end('{"detail":"The requested resource could not be found."}');
    };
    expect(await failure()).toMatchObject({ kind: 'unavailable', mayBeCharged: true });
    expect(fake().submissions()).toBe(1);
  });

  test('gives up for now when all polls fail, and leaves the task to a later attempt', async () => {
    fake().replies.poll = (_, response) => void response.destroy();
    expect(await failure()).toMatchObject({ kind: 'unavailable', mayBeCharged: false });
    expect(fake().submissions()).toBe(1);
  });

  test('submits nothing more when the result cannot be downloaded', async () => {
    fake().replies.result = (_, response) => void response.destroy();
    expect(await failure()).toMatchObject({ kind: 'unavailable', mayBeCharged: false });
    expect(fake().submissions()).toBe(1);
  });

  test('cancels a task, where it can', async () => {
    await fake().generator.tasks?.cancel?.(await submitted());
    expect(fake().cancellations()).toBe(canCancel(fake()) ? 1 : 0);
  });

  test('says when it cannot be reached to cancel a task', async () => {
    const task = await submitted();
    await fake().server[Symbol.asyncDispose]();
    const cancelling = fake().generator.tasks?.cancel?.(task);
    if (canCancel(fake()))
      await expect(cancelling).rejects.toMatchObject({ failure: { kind: 'unavailable' } });
  });

  test('cancels a task whose id cannot be stored, because nobody else knows it', async () => {
    const onSubmitted = () => Promise.reject(new Error('MongoDB is away'));
    await expect(render({ onSubmitted })).rejects.toThrow('MongoDB is away');
    expect(fake().cancellations()).toBe(canCancel(fake()) ? 1 : 0);
  });

  test('still learns the id of a task when the abort comes during its submission', async () => {
    const controller = new AbortController();
    const { submit } = fake().replies;
    const tasks: UpstreamTask[] = [];
    fake().replies.submit = (_, response) => {
      controller.abort(new Error('stop'));
      if (typeof submit !== 'function') response.writeHead(submit.status).end(JSON.stringify(submit.json));
    };
    await render({ signal: controller.signal, onSubmitted: async (task) => void tasks.push(task) }).catch(
      () => {},
    );
    expect(tasks).toHaveLength(1);
  });
});

/** ComfyUI serves results itself. */
const WITH_RESULT_HOST = UPSTREAMS.filter(({ name, hasTasks }) => hasTasks && name !== 'comfyui');

describe.each(WITH_RESULT_HOST)('a result of $name', ({ start }) => {
  const { fake, render, failure } = withFake(start);

  test.each([403, 404, 410])(
    'loses a result whose address responds %i, and may have been charged',
    async (status) => {
      const tasks: UpstreamTask[] = [];
      fake().replies.result = { status };
      const onSubmitted = async (task: UpstreamTask) => void tasks.push(task);
      expect(await failure({ onSubmitted })).toMatchObject({ kind: 'unavailable', mayBeCharged: true });
      const resumed = tasks.map((task) => failure({ resume: { task, since: performance.now() } }));
      expect(await Promise.all(resumed)).toMatchObject([{ kind: 'lost' }]);
      expect(fake().submissions()).toBe(1);
    },
  );

  test('asks again for a result that is gone, because the upstream may name another address', async () => {
    const { result } = fake().replies;
    fake().replies.result = (_, response) => {
      fake().replies.result = result;
      response.writeHead(403).end();
    };
    expect((await render()).bytes.length).toBeGreaterThan(100);
    expect(fake().submissions()).toBe(1);
  });
});

describe.each(UPSTREAMS)('a hostile response to $name', ({ start }) => {
  const { fake, render, failure } = withFake(start);

  test.each([
    ['millions of values', `{"a":[${'{},'.repeat(400_000)}{}]}`],
    ['deep nesting', '['.repeat(400_000)],
  ])('with %s is not parsed', async (_, text) => {
    fake().replies.submit = { status: 200, bytes: Buffer.from(text) };
    expect(await failure()).toMatchObject({ kind: 'unavailable', mayBeCharged: true });
  });

  test('with an id that is too long to store ends the call', async () => {
    const id = 'x'.repeat(900_000);
    const json = { id, request_id: id, prompt_id: id, polling_url: id, status_url: id, response_url: id };
    fake().replies.submit = { status: 200, json };
    expect(await failure()).toMatchObject({ mayBeCharged: true });
  });

  test('with addresses that are none ends the call', async () => {
    const url = 'not a url';
    const json = {
      id: 'a',
      request_id: 'a',
      prompt_id: 'a',
      polling_url: url,
      status_url: url,
      response_url: url,
    };
    fake().replies.submit = { status: 200, json };
    const outcome = await render().catch((error: unknown) => error);
    if (outcome instanceof Error) expect(outcome).toBeInstanceOf(GeneratorError);
  });
});
