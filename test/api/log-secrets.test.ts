import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { issueApiKey } from '../../lib/domain/api-key.ts';
import { createEgress } from '../../lib/egress/egress.ts';
import { loadConfig } from '../../lib/process/config/config.ts';
import { createLogger } from '../../lib/process/log.ts';
import { startFakeApi } from '../contract/fake-api.ts';
import { dial, listen } from '../contract/wire.ts';
import { type Served, serveTcp } from '../lib/egress/servers.ts';
import { sampleJpeg } from '../setup/images.ts';
import { keptLog } from '../setup/kept-log.ts';
import { REQUIRED } from '../setup/required.ts';

/** Sent wherever a caller can send text; no log line may contain it. */
const SECRET = 'S3cretThatMustNotBeLogged';
const MISPLACED = issueApiKey('ija_');

const log = keptLog();
let api: Awaited<ReturnType<typeof startFakeApi>>;
let port: number;
let broken: Served;

beforeAll(async () => {
  const config = loadConfig(REQUIRED);
  broken = await serveTcp((socket) =>
    socket.end(`HTTP/1.1 200 OK\r\nX: ${SECRET}\r\n${SECRET} \u0000\r\n\r\n`),
  );
  api = await startFakeApi(await sampleJpeg(8, 8), {
    logger: createLogger({ ...config.log, level: 'trace' }, 'api', log),
    egress: createEgress({ allowOrigins: [broken.origin] }),
  });
  port = await listen(api.app);
});
afterAll(async () => {
  await api.app.close();
  await api.deps.egress[Symbol.asyncDispose]();
  await broken[Symbol.asyncDispose]();
});
beforeEach(() => {
  log.text = '';
});

async function logged(requests = 1): Promise<string> {
  await expect.poll(() => log.text.split('"request completed"').length - 1).toBe(requests);
  return log.text;
}

async function expectClean(requests = 1): Promise<void> {
  const lines = await logged(requests);
  expect(lines).not.toContain(SECRET);
  expect(lines).not.toContain(SECRET.slice(0, 12));
  expect(lines).not.toContain(MISPLACED.slice(0, 20));
  expect(lines).not.toContain(MISPLACED.slice(-20));
}

describe('a secret is not logged', () => {
  test.each([
    `/api/v1/jobs/${MISPLACED}`,
    `/api/v1/jobs/${MISPLACED.replace('_', '%5F')}`,
    `/api/v1/jobs/${encodeURIComponent(`${MISPLACED}/${SECRET}`)}`,
    `/${MISPLACED}/api/v1/account`,
    `/api/v1/account;key=${MISPLACED}`,
    `/api/v1/%zz${SECRET}`,
    `/api/v1/account?api_key=${MISPLACED}&x=${SECRET}`,
    `/api/v1/nothing?x=${SECRET}#${SECRET}`,
    `http://user:${SECRET}@example.com/api/v1/account?${SECRET}`,
    `/${`a/`.repeat(20)}${SECRET}`,
  ])('from the target %s', async (target) => {
    const head = [`GET ${target} HTTP/1.1`, 'Host: x', 'Connection: close'];
    await (await dial(port, ...head, `X-Api-Key: ${api.headers['x-api-key']}`, '')).response();
    await expectClean();
  });

  test.each([
    'X-Api-Key',
    'X-Request-Id',
    'Authorization',
    'Cookie',
    'Referer',
    'User-Agent',
    'Idempotency-Key',
  ])('from the header %s', async (name) => {
    for (const value of [MISPLACED, `${MISPLACED}${SECRET}`])
      await api.app.inject({ url: '/api/v1/account', headers: { ...api.headers, [name]: value } });
    await expectClean(2);
  });

  test.each([
    `{"tool":"pool","image_base64":"${SECRET}`,
    `{"tool":${SECRET}}`,
    `{"tool":"pool","options":{"customPrompt":"${SECRET}"},}`,
    SECRET,
    `"${SECRET}"`,
    `{"tool":"${SECRET}","image_url":"https://a.example/"}`,
    `{"tool":"pool","${SECRET}":1,"image_url":1}`,
    `{"tool":"pool","options":{"tier":"${SECRET}"},"image_url":"https://a.example/"}`,
    `{"tool":"declutter","options":{"tier":"custom","customPrompt":["${SECRET}"]},"image_url":"https://a.example/"}`,
    `{"tool":"virtual-staging","options":{"${SECRET}":"x"},"image_url":"https://a.example/"}`,
    `{"tool":"virtual-staging","options":{"style":"${SECRET}"},"image_url":"https://a.example/"}`,
    `{"tool":"pool","image_base64":"data:${SECRET}"}`,
    `{"tool":"pool","image_url":"https://user:${SECRET}@a.example/"}`,
    `{"tool":"pool","image_url":"https://[${SECRET}]/"}`,
    `{"tool":"pool","image_url":"https://a.invalid/?token=${SECRET}"}`,
    `{"tool":"pool","image_url":"https://a.example/","webhook_url":"https://user:${SECRET}@a.example/"}`,
    `{"tool":"pool","image_url":"https://a.example/","webhook_url":"${SECRET}://a.example/"}`,
  ])('from the body %s', async (payload) => {
    const headers = { ...api.headers, 'content-type': 'application/json' };
    const { statusCode } = await api.app.inject({ method: 'POST', url: '/api/v1/jobs', headers, payload });
    expect(statusCode).toBe(400);
    await expectClean();
  });

  test('from the response of an image_url', async () => {
    const headers = { ...api.headers, 'content-type': 'application/json' };
    const payload = JSON.stringify({ tool: 'pool', image_url: `${broken.origin}/${SECRET}?${SECRET}` });
    const response = await api.app.inject({ method: 'POST', url: '/api/v1/jobs', headers, payload });
    expect(response.json().error.code).toBe('image_fetch_failed');
    await expectClean();
    expect(log.text).toMatch(/"reasons":\["EgressError protocol"/);
  });

  test('from an internal error', async () => {
    const fails = async () => {
      const cause = new SyntaxError(`Unexpected token in "${SECRET}"`);
      throw Object.assign(new Error('The store failed.', { cause }), { body: SECRET, input: SECRET });
    };
    const read = api.stores.jobs.find;
    Object.assign(api.stores.jobs, { find: fails });
    const url = '/api/v1/jobs/00000000-0000-4000-8000-000000000000';
    expect((await api.app.inject({ url, headers: api.headers })).statusCode).toBe(500);
    Object.assign(api.stores.jobs, { find: read });
    await expectClean();
    expect(log.text).toContain('The store failed.');
    expect(log.text).toContain('SyntaxError');
  });
});

test('ids and short words of a path are logged', async () => {
  const id = '00000000-0000-4000-8000-000000000000';
  await api.app.inject({ url: `/api/v1/jobs/${id}?x=1`, headers: api.headers });
  expect(await logged()).toContain(`"path":"/api/v1/jobs/${id}"`);
});
