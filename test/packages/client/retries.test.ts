import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { API_KEY, clientAnswered, failure, JPEG, json } from './fake-fetch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ACCOUNT = { name: 'A', status: 'active', image_credits: 1, retention_days: null };

/** Runs all timers that the call waits for. */
async function settled<T>(call: Promise<T>): Promise<T | Error> {
  const result = call.catch((error: Error) => error);
  await vi.runAllTimersAsync();
  return result;
}

describe('a call is repeated', () => {
  test('after the time of Retry-After, and less than a second more', async () => {
    const { client, sent } = clientAnswered(
      failure('rate_limited', 429, { 'Retry-After': '7' }),
      json(ACCOUNT),
    );
    expect(await settled(client.account())).toEqual(ACCOUNT);
    expect(sent[1]?.at).toBeGreaterThanOrEqual(7000);
    expect(sent[1]?.at).toBeLessThan(8000);
  });

  test('after a lost connection and after 5xx, at growing intervals', async () => {
    const { client, sent } = clientAnswered(
      new TypeError('fetch failed'),
      failure('internal_error', 500),
      new Response('<h1>Bad gateway</h1>', { status: 502 }),
      json(ACCOUNT),
    );
    expect(await settled(client.account())).toEqual(ACCOUNT);
    const waits = sent.slice(1).map(({ at }, index) => at - (sent[index]?.at ?? 0));
    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(250 * 2 ** index);
      expect(wait).toBeLessThan(500 * 2 ** index + 1);
    }
  });

  test('when no response comes within a minute, until two minutes are over', async () => {
    const slow = clientAnswered('never', json(ACCOUNT));
    expect(await settled(slow.client.account())).toEqual(ACCOUNT);
    expect(slow.sent[1]?.at).toBeGreaterThan(60_000);
    const silent = clientAnswered('never');
    expect(await settled(silent.client.account())).toMatchObject({
      name: 'ImageJobTimeoutError',
      message: 'No response within 120000 ms.',
      cause: { message: 'No response within 60000 ms.' },
    });
    expect(silent.sent).toHaveLength(2);
  });
});

describe('a call ends', () => {
  test.each([400, 401, 402, 404, 409, 413])('at once with %d', async (status) => {
    const { client, sent } = clientAnswered(failure('invalid_request', status));
    const error = await settled(client.account());
    expect(error).toMatchObject({
      name: 'ImageJobError',
      code: 'invalid_request',
      status,
      message: 'It is invalid_request.',
      docUrl: 'https://example.com#invalid_request',
    });
    expect(sent).toHaveLength(1);
  });

  test('with the last failure, when there is no time to wait for another attempt', async () => {
    const { client, sent } = clientAnswered(failure('rate_limited', 429, { 'Retry-After': '120' }));
    expect(await settled(client.account())).toMatchObject({ code: 'rate_limited', retryAfterMs: 120_000 });
    expect(sent).toHaveLength(1);
  });

  test('with the reason of its signal, before, during and between attempts', async () => {
    const stop = new AbortController();
    const waiting = clientAnswered('never');
    const between = clientAnswered(failure('internal_error', 500));
    const calls = [waiting, between].map(({ client }) => client.account({ signal: stop.signal }));
    const results = Promise.allSettled(calls);
    await vi.advanceTimersByTimeAsync(1);
    stop.abort(new Error('enough'));
    expect((await results).map((result) => result.status === 'rejected' && result.reason.message)).toEqual([
      'enough',
      'enough',
    ]);
    const after = clientAnswered(json(ACCOUNT));
    await expect(after.client.account({ signal: stop.signal })).rejects.toThrow('enough');
    expect([waiting, between, after].map(({ sent }) => sent.length)).toEqual([1, 1, 0]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('results are downloaded without the key', async () => {
  const job = { result_urls: ['https://images.example.com/a.jpeg'] };
  const { client, sent } = clientAnswered(json({ ...job }), new Response(JPEG));
  const [blob] = await client.jobs.download(await client.jobs.get('a'));
  expect([blob?.type, await blob?.bytes()]).toEqual(['image/jpeg', JPEG]);
  expect(sent.map(({ init }) => new Headers(init.headers).get('X-Api-Key'))).toEqual([API_KEY, null]);
});
