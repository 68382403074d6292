import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { editPhoto } from '../../../packages/client/src/cli/edit-photo.ts';
import { ImageJobs } from '../../../packages/client/src/node.ts';
import { folderOfFile } from '../../setup/temporary-folder.ts';
import { API_KEY, BASE_URL, clientAnswered, failure, JPEG, json } from './fake-fetch.ts';

const folder = folderOfFile();
const input = join(folder, 'room.jpg');
const output = join(folder, 'out.jpg');

/** The list with a job of the key that it was asked for. */
const failed = (reason: string, retryable: boolean) => (url: string) => {
  const job = {
    job_id: 'old',
    idempotency_key: new URL(url).searchParams.get('idempotency_key'),
    status: 'failed',
    error: `It failed: ${reason}.`,
    failure: { reason, retryable },
    result_urls: [],
  };
  return json({ data: [job], has_more: false });
};

async function edit(...answers: (Response | ((url: string) => Response))[]) {
  await writeFile(input, JPEG);
  const { fetch, sent } = clientAnswered(
    ...answers.map((answer) =>
      typeof answer === 'function' ? () => answer(sent.at(-1)?.url ?? '') : answer,
    ),
  );
  const outcome = await editPhoto(
    {
      client: new ImageJobs({ apiKey: API_KEY, baseUrl: BASE_URL, fetch }),
      request: { tool: 'declutter', key: 'record' },
      results: undefined,
      within: folder,
      dryRun: false,
      signal: new AbortController().signal,
      noNewJobs: new AbortController().signal,
      counted: new Set(),
      onFailure: () => undefined,
    },
    { input, output },
  );
  return { outcome, keys: sent.map(({ url }) => new URL(url).searchParams.get('idempotency_key')), sent };
}

test('a photo whose job failed for a passing reason is sent as a new job, under a key of its own', async () => {
  const { outcome, keys, sent } = await edit(
    failed('unavailable', true),
    json({ data: [], has_more: false }),
    json({ job_id: 'new', status: 'processing', images_charged: 1, warnings: [] }, 201),
    json({ job_id: 'new', status: 'completed', result_urls: ['https://images.example.com/new.jpeg'] }),
    new Response(JPEG),
  );
  expect(outcome).toMatchObject({ status: 'completed', job_id: 'new', images_charged: 1 });
  expect(new Uint8Array(await readFile(output))).toEqual(JPEG);
  expect(keys[1]).not.toBe(keys[0]);
  expect(new Headers(sent[2]?.init.headers).get('Idempotency-Key')).toBe(keys[1]);
});

test('a photo that cannot be edited is not sent again', async () => {
  const { outcome, sent } = await edit(failed('safety', false));
  expect(outcome).toMatchObject({ status: 'failed', error: 'It failed: safety.', images_charged: 0 });
  expect(sent).toHaveLength(1);
});

test('a photo waits as long as the rate limit asks, and not for an hour', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const limited = (seconds: string) => failure('rate_limited', 429, { 'Retry-After': seconds });
  const refused = failed('safety', false);
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
  expect([outcome?.status, sent.length]).toEqual(['failed', 8]);
  expect(error).toMatchObject({ code: 'rate_limited' });
});
