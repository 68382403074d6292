import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { editPatiently } from '../../packages/client/src/cli/edit-photo.ts';
import { ImageJobs } from '../../packages/client/src/node.ts';
import { folderOfFile } from '../setup/temporary-folder.ts';
import { API_KEY, BASE_URL, clientAnswered, failure, json } from './fake-fetch.ts';

const folder = folderOfFile();
const input = join(folder, 'room.jpg');
const output = join(folder, 'out.jpg');

const failed = (reason: string, retryable: boolean) => ({
  job_id: 'old',
  status: 'failed',
  error: `It failed: ${reason}.`,
  failure: { reason, retryable },
  result_urls: [],
});

async function edit(...answers: Parameters<typeof clientAnswered>) {
  await writeFile(input, 'photo');
  const { fetch, sent } = clientAnswered(...answers);
  const outcome = await editPatiently(
    {
      client: new ImageJobs({ apiKey: API_KEY, baseUrl: BASE_URL, fetch }),
      request: { tool: 'declutter', key: 'record' },
      results: undefined,
      dryRun: false,
      signal: new AbortController().signal,
    },
    { input, output },
  );
  return { outcome, keys: sent.map(({ url }) => new URL(url).searchParams.get('idempotency_key')), sent };
}

test('a photo whose job failed for a passing reason is sent as a new job, under a key of its own', async () => {
  const { outcome, keys, sent } = await edit(
    json({ data: [failed('unavailable', true)], has_more: false }),
    json({ data: [], has_more: false }),
    json({ job_id: 'new', status: 'processing', images_charged: 1, warnings: [] }, 201),
    json({ job_id: 'new', status: 'completed', result_urls: ['https://images.example.com/new.jpeg'] }),
    new Response('result'),
  );
  expect(outcome).toMatchObject({ status: 'completed', job_id: 'new', images_charged: 1 });
  expect(await readFile(output, 'utf8')).toBe('result');
  expect(keys[1]).not.toBe(keys[0]);
  expect(new Headers(sent[2]?.init.headers).get('Idempotency-Key')).toBe(keys[1]);
});

test('a photo that cannot be edited is not sent again', async () => {
  const { outcome, sent } = await edit(json({ data: [failed('safety', false)], has_more: false }));
  expect(outcome).toMatchObject({ status: 'failed', error: 'It failed: safety.', images_charged: 0 });
  expect(sent).toHaveLength(1);
});

test('a photo waits as long as the rate limit asks, and not for an hour', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const limited = (seconds: string) => failure('rate_limited', 429, { 'Retry-After': seconds });
  const refused = json({ data: [failed('safety', false)], has_more: false });
  // Three responses use up the two minutes of a call.
  const patient = edit(...Array(7).fill(limited('50')), refused);
  const hourly = edit(limited('3600')).catch((error: unknown) => error);
  const both = Promise.all([patient, hourly]);
  let isSettled = false;
  void both.finally(() => {
    isSettled = true;
  });
  while (!isSettled) {
    await vi.advanceTimersByTimeAsync(1000);
    await setImmediate();
  }
  const [{ outcome, sent }, error] = await both;
  expect([outcome.status, sent.length]).toEqual(['failed', 8]);
  expect(error).toMatchObject({ code: 'rate_limited' });
});
