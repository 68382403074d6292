import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { clientAnswered, failure, json } from './fake-fetch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const processing = { job_id: 'a', status: 'processing' };
const completed = { job_id: 'a', status: 'completed' };

const gaps = (sent: { at: number }[]) => sent.slice(1).map(({ at }, index) => at - (sent[index]?.at ?? 0));

describe('waiting for a job', () => {
  test('polls every 2 to 5 seconds when the service does not wait', async () => {
    const { client, sent } = clientAnswered(...Array(9).fill(json(processing)), json(completed));
    const job = client.jobs.wait('a');
    await vi.runAllTimersAsync();
    expect(await job).toEqual(completed);
    for (const gap of gaps(sent)) {
      expect(gap).toBeGreaterThanOrEqual(2000);
      expect(gap).toBeLessThanOrEqual(5000);
    }
  });

  test('asks again at once after the service has waited', async () => {
    const waited = () => {
      vi.setSystemTime(Date.now() + 60_000);
      return json(processing, 200, { 'Preference-Applied': 'wait=60' });
    };
    const { client, sent } = clientAnswered(waited, waited, json(completed));
    const job = client.jobs.wait('a');
    await vi.advanceTimersByTimeAsync(1);
    expect(await job).toEqual(completed);
    expect(sent.map(({ init }) => new Headers(init.headers).get('Prefer'))).toEqual([
      'wait=60',
      'wait=60',
      'wait=60',
    ]);
  });

  test('does not turn in circles when the service returns early', async () => {
    const early = json(processing, 200, { 'Preference-Applied': 'wait=60' });
    const { client, sent } = clientAnswered(early, json(completed));
    const job = client.jobs.wait('a');
    await vi.runAllTimersAsync();
    await job;
    expect(gaps(sent)[0]).toBeGreaterThanOrEqual(2000);
  });

  test('follows Retry-After between 2 and 30 seconds', async () => {
    const asking = (seconds: string) => json(processing, 200, { 'Retry-After': seconds });
    const { client, sent } = clientAnswered(asking('1'), asking('12'), asking('900'), json(completed));
    const job = client.jobs.wait('a');
    await vi.runAllTimersAsync();
    await job;
    expect(gaps(sent)).toEqual([2000, 12_000, 30_000]);
  });

  test('outlasts an outage of minutes', async () => {
    const { client } = clientAnswered(
      json(processing),
      ...Array(40).fill(new TypeError('fetch failed')),
      json(completed),
    );
    const began = Date.now();
    const job = client.jobs.wait('a').catch((error: Error) => error);
    await vi.runAllTimersAsync();
    expect(await job).toEqual(completed);
    expect(Date.now() - began).toBeGreaterThan(180_000);
  });

  test('ends with a timeout, and with the errors of the service', async () => {
    const slow = clientAnswered(json(processing));
    const timeout = slow.client.jobs.wait('a', { timeoutMs: 30_000 }).catch((error: Error) => error);
    const gone = clientAnswered(failure('job_not_found', 404));
    const missing = gone.client.jobs.wait('a').catch((error: Error) => error);
    await vi.runAllTimersAsync();
    expect(await timeout).toMatchObject({
      name: 'ImageJobTimeoutError',
      message: 'Job a is still processing after 30000 ms.',
    });
    expect(await missing).toMatchObject({ code: 'job_not_found' });
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a list', () => {
  const rows = (...ids: string[]) => ids.map((job_id) => ({ job_id }));

  test('is read page by page, as far as it is used', async () => {
    const { client, sent } = clientAnswered(
      json({ data: rows('c', 'b'), has_more: true }),
      json({ data: rows('a'), has_more: false }),
    );
    const list = client.jobs.list({ status: 'failed' });
    const ids: string[] = [];
    for await (const { job_id } of list) ids.push(job_id);
    expect(ids).toEqual(['c', 'b', 'a']);
    expect(sent.map(({ url }) => new URL(url).search)).toEqual([
      '?status=failed&limit=100',
      '?status=failed&limit=100&starting_after=b',
    ]);
  });

  test('ends with an error when a page comes again, in place of reading on for ever', async () => {
    const { client, sent } = clientAnswered(json({ data: rows('c', 'b'), has_more: true }));
    const ids: string[] = [];
    const reading = async () => {
      for await (const { job_id } of client.jobs.list()) ids.push(job_id);
    };
    await expect(reading()).rejects.toMatchObject({
      code: 'unexpected_response',
      message: '/v1/jobs answers with a page that it had before.',
    });
    expect([ids, sent.length]).toEqual([['c', 'b'], 2]);
  });

  test('gives its pages, and ends when it is left', async () => {
    const { client, sent } = clientAnswered(json({ data: rows('c', 'b'), has_more: true }));
    for await (const page of client.jobs.list().pages()) {
      expect(page).toHaveLength(2);
      break;
    }
    expect(sent).toHaveLength(1);
  });
});
