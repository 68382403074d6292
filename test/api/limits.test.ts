import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Agent, request } from 'undici';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApiLimits } from '../../api/admission/limits.ts';
import type { RequestPermits } from '../../api/admission/request-permits.ts';
import type { PostedJob } from '../../api/jobs/checks.ts';
import { createOrReplayJob } from '../../api/jobs/creation.ts';
import { createCompensations } from '../../api/jobs/voids.ts';
import { digestApiKey } from '../../lib/domain/api-key.ts';
import { createEgress } from '../../lib/egress/egress.ts';
import { IMAGE_URL, startFakeApi } from '../contract/fake-api.ts';
import { dial, listen, type Wire } from '../contract/wire.ts';
import { serveHttp } from '../lib/egress/servers.ts';
import { closers } from '../setup/closers.ts';
import { sampleJpeg } from '../setup/images.ts';

const MB = 1024 * 1024;
const WAIT = { timeout: 20_000 };
let image: Buffer;
let stack: ReturnType<typeof closers>;
type Api = Awaited<ReturnType<typeof open>>;

beforeAll(async () => {
  image = await sampleJpeg();
});
beforeEach(() => {
  stack = closers();
});
afterEach(() => stack.close());

async function open(deps: Parameters<typeof startFakeApi>[1] = {}) {
  const api = await startFakeApi(image, deps);
  const port = await listen(api.app);
  const agent = new Agent({ connections: 100 });
  stack.defer(() => api.app.close());
  stack.defer(() => agent.destroy());
  const post = async (body: string, headers: Record<string, string> = api.headers) => {
    const response = await request(`http://127.0.0.1:${port}/api/v1/jobs`, {
      method: 'POST',
      body,
      headers: { ...headers, 'content-type': 'application/json' },
      dispatcher: agent,
    });
    const text = await response.body.text();
    return { status: response.statusCode, headers: response.headers, code: JSON.parse(text).error?.code };
  };
  return { ...api, port, post };
}

const bytesOf = ({ limits, accountId }: Api) => limits.bytesOf(accountId);

/**
 * Each request has a signal of its own: a shared one would get a listener from every request that
 * waits.
 */
const unaborted = () => new AbortController().signal;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
/** Of buffers, in bytes. */
const keptBytes = () => {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
};

const jobWith = (bytes: Buffer) =>
  JSON.stringify({ tool: 'declutter', image_base64: bytes.toString('base64') });
const padded = (size: number) => Buffer.concat([image, Buffer.alloc(size - image.length)]);

/** Starts an upload without completing it. */
async function stalled({ port }: Api, headers: Record<string, string>, length: number): Promise<Wire> {
  const head = ['POST /api/v1/jobs HTTP/1.1', 'Host: x', 'Content-Type: application/json'];
  const key = `X-Api-Key: ${headers['x-api-key']}`;
  const wire = await dial(port, ...head, key, `Content-Length: ${length}`, '');
  stack.defer(async () => wire.socket.destroy());
  wire.socket.write('{"tool":"declutter",');
  return wire;
}

async function postedJob({ stores, headers }: Api, permits: RequestPermits): Promise<PostedJob> {
  const caller = await stores.keys.findCaller(digestApiKey(headers['x-api-key']));
  if (caller === undefined || caller.revoked) throw new Error('no caller');
  const fields = { tool: 'declutter', image_url: IMAGE_URL };
  const compensations = createCompensations({ enqueue: () => {} });
  return {
    caller,
    fields,
    image: undefined,
    bodyDigest: 'd',
    idempotencyKey: null,
    permits,
    isDryRun: false,
    compensations,
    dropFields: () => {},
  };
}

const times = <T>(count: number, make: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)));

describe('requests within the rate limits are accepted', () => {
  test('60 small requests of one key at once', async () => {
    const api = await open();
    const responses = await times(60, () => api.post(jobWith(image)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    await expect.poll(() => api.limits.bytes.held, WAIT).toBe(0);
  });

  test('60 requests of 5 MB of one key at once, nine of which fill its share', async () => {
    const api = await open();
    const body = jobWith(padded(5 * MB));
    const responses = await times(60, () => api.post(body));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    await expect.poll(() => api.limits.bytes.held, WAIT).toBe(0);
  });
});

describe('bodies in flight', () => {
  test("hold no more than the key's share, and other keys are served meanwhile", async () => {
    const api = await open();
    const wires = await times(58, () => stalled(api, api.headers, 28 * MB));
    await expect.poll(() => bytesOf(api).waiting, WAIT).toBe(56);
    expect(api.limits.bytes.held).toBe(56 * MB);
    const other = await api.client();
    expect((await api.post(jobWith(image), other.headers)).status).toBe(201);
    for (const { socket } of wires) socket.destroy();
    await expect.poll(() => [bytesOf(api).waiting, api.limits.bytes.held], WAIT).toEqual([0, 0]);
  });

  test('of one key leave room for the other keys of its account', async () => {
    const limits = createApiLimits({ bytesInFlight: 256 * MB, unpaidBytesPerMinute: MB });
    const { bytesOf, bytes } = limits;
    const permit = await bytesOf('acme').acquire('first', 64 * MB, unaborted());
    await bytesOf('acme').acquire('second', 60 * MB, unaborted());
    expect([bytesOf('acme').waiting, bytesOf('other').held]).toEqual([0, 0]);
    const third = bytesOf('acme').acquire('third', 20 * MB, unaborted());
    await bytesOf('acme').acquire('fourth', MB, unaborted());
    expect(bytesOf('acme').waiting).toBe(1);
    permit.release();
    expect((await third).amount).toBe(20 * MB);
    expect(bytes.held).toBe(0);
  });

  test.each([
    [128, 64],
    [256, 128],
    [2048, 512],
  ])('of %i MB in total leave one account %i MB', async (all, own) => {
    const { bytesOf } = createApiLimits({ bytesInFlight: all * MB, unpaidBytesPerMinute: MB });
    const keys = Array.from({ length: 20 }, (_, n) => `key ${n}`);
    for (const key of keys)
      bytesOf('acme')
        .acquire(key, 32 * MB, unaborted())
        .catch(() => {});
    await expect.poll(() => bytesOf('acme').held, WAIT).toBe(own * MB);
  });

  test('need no limit of accounts that have no bytes in flight', async () => {
    const limits = createApiLimits({ bytesInFlight: 256 * MB, unpaidBytesPerMinute: MB });
    const held = limits.bytesOf('acme');
    await held.acquire('key', MB, unaborted());
    const idle = limits.bytesOf('idle');
    for (let n = 0; n < 3000; n++) limits.bytesOf(`account ${n}`);
    expect(limits.bytesOf('acme')).toBe(held);
    expect(limits.bytesOf('idle')).not.toBe(idle);
  });

  test('of many keys hold no more than the limit of the process', async () => {
    const limits = createApiLimits({ bytesInFlight: 100 * MB, unpaidBytesPerMinute: MB });
    const api = await open({ limits });
    const clients = await times(10, () => api.client());
    await times(10, (n) => stalled(api, clients[n]?.headers ?? api.headers, 28 * MB));
    await expect.poll(() => limits.bytes.waiting, WAIT).toBe(7);
    expect(limits.bytes.held).toBe(84 * MB);
    expect((await api.post(jobWith(image))).status).toBe(201);
  });

  test('of unknown length count as the body limit until they have ended', async () => {
    const api = await open();
    const head = ['POST /api/v1/jobs HTTP/1.1', 'Host: x', 'Content-Type: application/json'];
    const key = `X-Api-Key: ${api.headers['x-api-key']}`;
    const wire = await dial(api.port, ...head, key, 'Transfer-Encoding: chunked', 'Connection: close', '');
    await expect.poll(() => api.limits.bytes.held, WAIT).toBe(30 * MB);
    expect((await wire.response('2\r\n{}\r\n0\r\n\r\n')).statusCode).toBe(400);
    await expect.poll(() => api.limits.bytes.held, WAIT).toBe(0);
  });

  test('without a key are read only as many at a time as one address may have', async () => {
    const api = await open();
    const head = ['POST /api/v1/jobs HTTP/1.1', 'Host: x', 'Transfer-Encoding: chunked', 'Connection: close'];
    const wires = await times(20, () => dial(api.port, ...head, ''));
    for (const { socket } of wires) stack.defer(async () => socket.destroy());
    await expect
      .poll(() => [api.limits.unreadBodies.held, api.limits.unreadBodies.waiting], WAIT)
      .toEqual([16, 4]);
    for (const wire of wires) expect((await wire.response('0\r\n\r\n')).statusCode).toBe(401);
    expect(api.limits.unreadBodies.held).toBe(0);
  });
});

test('acceptances are limited to 50 at once for one account and 200 for all', async () => {
  const { acceptances } = createApiLimits({ bytesInFlight: MB, unpaidBytesPerMinute: MB });
  const granted: string[] = [];
  for (const account of ['a', 'b', 'c', 'd', 'e'])
    for (let n = 0; n < 51; n++)
      void acceptances.acquire(account, 1, unaborted()).then(() => granted.push(account));
  await expect.poll(() => granted.length, WAIT).toBe(200);
  expect([acceptances.waiting, granted.filter((account) => account === 'a').length]).toEqual([55, 50]);
});

test('a server that shuts down responds to waiting requests at once and accepts none of them', async () => {
  const api = await open();
  const accept = api.gateway.accept;
  let answer = () => {};
  const answering = new Promise<void>((resolve) => {
    answer = resolve;
  });
  api.gateway.accept = async (...job) => {
    await answering;
    return accept(...job);
  };
  const answers = times(60, () => api.post(jobWith(image)));
  await expect.poll(() => api.limits.acceptances.waiting, WAIT).toBe(10);
  const closed = api.app.close();
  await expect.poll(() => api.limits.acceptances.waiting, WAIT).toBe(0);
  answer();
  const statuses = (await answers).map(({ status }) => status);
  expect([
    statuses.filter((one) => one === 500).length,
    statuses.filter((one) => one === 201).length,
  ]).toEqual([10, 50]);
  await closed;
  expect(await api.stores.jobs.list(api.accountId, 100)).toHaveLength(50);
});

describe('fetches of image_url', () => {
  /** A server that holds each request until the test calls its entry in `waiting`. */
  async function holding(respond: (n: number) => { type?: string; bytes: Buffer }) {
    const waiting: (() => void)[] = [];
    let responses = 0;
    const server = stack.use(
      await serveHttp((_request, response) => {
        waiting.push(() => {
          const { type = 'image/jpeg', bytes } = respond(responses++);
          response.writeHead(200, { 'content-type': type, 'content-length': bytes.length }).end(bytes);
        });
      }),
    );
    const egress = stack.use(createEgress({ allowOrigins: [server.origin] }));
    return { server, egress, waiting, url: `${server.origin}/a.jpg` };
  }
  const byUrl = (image_url: string) => JSON.stringify({ tool: 'declutter', image_url });

  test('are limited to eight at once for one key; the others wait', async () => {
    const { egress, waiting, url } = await holding(() => ({ bytes: image }));
    const api = await open({ egress });
    const responses = times(20, () => api.post(byUrl(url)));
    await expect.poll(() => [waiting.length, api.limits.fetches.waiting], WAIT).toEqual([8, 12]);
    const other = await api.client();
    const otherResponse = api.post(byUrl(url), other.headers);
    await expect.poll(() => waiting.length, WAIT).toBe(9);
    for (let done = 0; done < 21; ) {
      await expect.poll(() => waiting.length, WAIT).toBeGreaterThan(0);
      waiting.shift()?.();
      done += 1;
    }
    expect((await otherResponse).status).toBe(201);
    expect(new Set((await responses).map(({ status }) => status))).toEqual(new Set([201]));
    await expect.poll(() => api.limits.bytes.held, WAIT).toBe(0);
  });

  test('release the fields of their body, so that they do not wait for one another', async () => {
    const { egress, waiting, url } = await holding(() => ({ bytes: image }));
    const api = await open({ egress });
    const unknown = Array.from({ length: 9000 }, () => 'x'.repeat(100));
    const body = JSON.stringify({ tool: 'declutter', image_url: url, unknown });
    const before = keptBytes();
    const responses = times(40, () => api.post(body));
    await expect.poll(() => [waiting.length, api.limits.fetches.waiting], WAIT).toEqual([8, 32]);
    expect(api.limits.bytes.held).toBeLessThanOrEqual(40 * 32 * 1024);
    // This process is their client as well, which keeps up to 20 MB; with the bodies it would be 64
    // MB.
    await expect.poll(keptBytes, WAIT).toBeLessThan(before + 40 * MB);
    for (let done = 0; done < 40; done++) {
      await expect.poll(() => waiting.length, WAIT).toBeGreaterThan(0);
      waiting.shift()?.();
    }
    expect(new Set((await responses).map(({ status }) => status))).toEqual(new Set([201]));
  });

  test('do not lose time for acceptance while they wait', async () => {
    const api = await open();
    let waitedMs = 3000;
    const permits: RequestPermits = {
      take: async (limit, amount) => {
        waitedMs += 20_000;
        return limit.acquire('key', amount, unaborted());
      },
      takeBytes: async ({ bytes }, amount) => permits.take(bytes, amount),
      get waitedMs() {
        return waitedMs;
      },
      [Symbol.dispose]: () => {},
    };
    const config = { ...api.config, api: { ...api.config.api, acceptTimeoutMs: 120_000 } };
    await createOrReplayJob({ ...api.deps, config }, await postedJob(api, permits));
    expect(api.gateway.asked[0]?.acceptWithinMs).toBeGreaterThan(20_000);
  });

  test('are limited per minute in the bytes of requests that were not charged', async () => {
    const notAnImage = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(600 * 1024)]);
    const { egress, waiting, url } = await holding((n) => ({ bytes: n < 3 ? padded(MB) : notAnImage }));
    const limits = createApiLimits({ bytesInFlight: 128 * MB, unpaidBytesPerMinute: MB });
    const api = await open({ egress, limits });
    const outcomes: unknown[] = [];
    for (let n = 0; n < 6; n++) {
      const response = api.post(byUrl(url));
      const served = expect.poll(() => waiting.length, WAIT).toBe(1);
      if (n < 5) await served.then(() => waiting.shift()?.());
      else served.catch(() => {});
      const { status, code, headers } = await response;
      outcomes.push(code ?? status);
      if (code === 'rate_limited') expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(outcomes).toEqual([201, 201, 201, 'invalid_image', 'invalid_image', 'rate_limited']);
    expect(waiting).toHaveLength(0);
    const other = await api.client();
    const response = api.post(byUrl(url), other.headers);
    await expect.poll(() => waiting.length, WAIT).toBe(1);
    waiting.shift()?.();
    expect((await response).code).toBe('invalid_image');
  });
});
