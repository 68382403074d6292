import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Fetch, ImageJobs } from '../../../packages/client/src/index.ts';
import { unlessAborted, within } from '../../../packages/client/src/time.ts';
import { API_KEY, BASE_URL, clientAnswered, JPEG, json } from './fake-fetch.ts';

// Digests of photos end in real time, which setImmediate stays in.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

const DAY_MS = 86_400_000;
const created = { job_id: 'a', status: 'processing', images_charged: 1, warnings: [] };
const job = { job_id: 'a', status: 'completed', result_urls: ['https://images.example.com/a.jpeg'] };

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const never = () => new Promise<never>(() => undefined);

async function settled<T>(call: Promise<T>): Promise<T | Error> {
  let isSettled = false;
  const result = call
    .catch((error: Error) => error)
    .finally(() => {
      isSettled = true;
    });
  while (!isSettled) {
    await vi.advanceTimersByTimeAsync(1000);
    await setImmediate();
  }
  return result;
}

/** A client whose requests take this long, and the Idempotency-Keys that were sent. */
function clientAfter(ms: number, body: unknown, timeoutMs?: number) {
  const keys: (string | null)[] = [];
  const fetch: Fetch = async (_url, { headers, signal }) => {
    keys.push(new Headers(headers).get('Idempotency-Key'));
    await unlessAborted(signal ?? undefined, () => after(ms));
    return json(body);
  };
  const options = { apiKey: API_KEY, baseUrl: BASE_URL, fetch };
  return { client: new ImageJobs(timeoutMs === undefined ? options : { ...options, timeoutMs }), keys };
}

/** The bytes of a JPEG, one at a time; after them the end, or silence. */
function dripping(bytes: number, everyMs: number, end: 'end' | 'silence' = 'end'): Response {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(stream) {
      await after(everyMs);
      if (sent === bytes) return end === 'end' ? stream.close() : never();
      stream.enqueue(Uint8Array.of(JPEG[sent] ?? 0));
      sent += 1;
    },
  });
  return new Response(body);
}

describe('a download', () => {
  test('goes on for as long as bytes come', async () => {
    const { client, sent } = clientAnswered(json(job), () => dripping(12, 40_000));
    const images = await settled(client.jobs.download(await client.jobs.get('a')));
    expect(images).toMatchObject([{ size: 12, type: 'image/jpeg' }]);
    expect(sent).toHaveLength(2);
  });

  test('begins anew after a minute of silence', async () => {
    const { client, sent } = clientAnswered(
      json(job),
      () => dripping(4, 40_000, 'silence'),
      () => dripping(4, 1),
    );
    const images = await settled(client.jobs.download(await client.jobs.get('a')));
    expect(images).toMatchObject([{ size: 4 }]);
    expect(sent).toHaveLength(3);
  });
});

describe('an upload', () => {
  const photo = (bytes: number) => ({ tool: 'declutter', image: new Uint8Array(bytes).fill(0xff) }) as const;

  test('of 7 MB at 64 KB a second is one request', async () => {
    const { client, keys } = clientAfter(109_000, created);
    expect(await settled(client.jobs.create(photo(7_000_000)))).toMatchObject(created);
    expect(keys).toHaveLength(1);
  });

  test('over an even slower line has half of a longer timeoutMs', async () => {
    const { client, keys } = clientAfter(290_000, created, 600_000);
    expect(await settled(client.jobs.create(photo(1000)))).toMatchObject(created);
    expect(keys).toHaveLength(1);
  });

  test('whose response is lost is repeated under the same Idempotency-Key', async () => {
    const { client, sent } = clientAnswered('never', json(created));
    expect(await settled(client.jobs.create(photo(1000)))).toMatchObject(created);
    const keys = sent.map(({ init }) => new Headers(init.headers).get('Idempotency-Key'));
    expect(keys).toEqual([keys[0], keys[0]]);
    expect((sent[1]?.at ?? 0) - (sent[0]?.at ?? 0)).toBeLessThan(63_000);
  });
});

describe('a time longer than a timer runs', () => {
  test.each([Number.POSITIVE_INFINITY, 30 * DAY_MS])('does not end at once: %d ms', async (timeoutMs) => {
    const { client } = clientAfter(1000, job, timeoutMs);
    expect(await settled(client.account())).toEqual(job);
    expect(await settled(client.jobs.wait('a', { timeoutMs }))).toEqual(job);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('ends when it is over', async () => {
    const end = vi.fn();
    const limits = { ms: 30 * DAY_MS, outer: undefined, reason: () => new Error('over') };
    within(limits, never).catch(end);
    await vi.advanceTimersByTimeAsync(30 * DAY_MS - 1);
    expect(end).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(end).toHaveBeenCalledWith(new Error('over'));
  });
});

describe('a signal ends the call at once', () => {
  const options = { apiKey: API_KEY, baseUrl: BASE_URL };

  test('with a fetch that does not know signals', async () => {
    const client = new ImageJobs({ ...options, fetch: never });
    const stop = new AbortController();
    const call = client.account({ signal: stop.signal }).catch((error: Error) => error);
    await vi.advanceTimersByTimeAsync(1);
    stop.abort(new Error('enough'));
    expect(await call).toEqual(new Error('enough'));
    expect(vi.getTimerCount()).toBe(0);
  });

  test('while a path is read, and before it', async () => {
    const open = vi.fn(never);
    const client = new ImageJobs<string>({ ...options, fetch: never }, open);
    const stop = new AbortController();
    const request = { tool: 'declutter', image: '/dev/fifo', key: 'a', signal: stop.signal } as const;
    const calls = Promise.allSettled([client.jobs.create(request), client.jobs.idempotencyKey(request)]);
    stop.abort(new Error('enough'));
    const rejected = { status: 'rejected', reason: new Error('enough') };
    expect(await calls).toEqual([rejected, rejected]);
    await expect(client.jobs.dryRun(request)).rejects.toThrow('enough');
    expect(open).toHaveBeenCalledTimes(2);
  });
});
