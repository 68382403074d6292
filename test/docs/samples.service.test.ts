import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { fetch } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERIFY_SAMPLE } from '../../api/docs/verify-sample.ts';
import { type Service, startService } from '../setup/service.ts';

type Verify = (secret: string, headers: Record<string, string>, rawBody: string, now?: number) => boolean;

describe('the sample that verifies a webhook', () => {
  /** The test vector of the Standard Webhooks specification. */
  const SECRET = 'whsec_plJ3nmyCDGBKInavdOK15jsl';
  const BODY = '{"event_type":"ping","data":{"success":true}}';
  const NOW = 1_731_705_121;
  const HEADERS = {
    'webhook-id': 'msg_loFOjxBNrRLzqYUf',
    'webhook-timestamp': String(NOW),
    'webhook-signature': 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
  };
  let folder: string;
  let verify: Verify;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sample-'));
    const file = join(folder, 'verify.mjs');
    await writeFile(file, VERIFY_SAMPLE);
    verify = ((await import(file)) as { isFromImageJobApi: Verify }).isFromImageJobApi;
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('accepts what Standard Webhooks accepts, also next to another signature', () => {
    expect(verify(SECRET, HEADERS, BODY, NOW)).toBe(true);
    const both = { ...HEADERS, 'webhook-signature': `v1,AAAA ${HEADERS['webhook-signature']}` };
    expect(verify(SECRET, both, BODY, NOW)).toBe(true);
    const sent = new Date();
    const signature = new Webhook(SECRET).sign('evt_1', sent, BODY);
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(sent.getTime() / 1000)),
      'webhook-signature': signature,
    };
    expect(verify(SECRET, headers, BODY)).toBe(true);
  });

  test.each([
    ['another body', { body: `${BODY} ` }],
    ['an old timestamp', { now: NOW + 301 }],
    ['another id', { headers: { 'webhook-id': 'msg_other' } }],
    ['a timestamp that is not a number', { headers: { 'webhook-timestamp': 'soon' } }],
    ['no signature', { headers: { 'webhook-signature': '' } }],
    ['another version of signature', { headers: { 'webhook-signature': 'v2,AAAA' } }],
  ])('rejects %s', (_what, { headers = {}, body = BODY, now = NOW }: Partial<Change>) => {
    expect(verify(SECRET, { ...HEADERS, ...headers }, body, now)).toBe(false);
  });
  interface Change {
    headers: Record<string, string>;
    body: string;
    now: number;
  }
});

describe('the quickstart in TypeScript', () => {
  let service: Service;
  let worker: AsyncDisposable;
  let origin: string;

  beforeAll(async () => {
    service = await startService();
    origin = await service.app.listen({ host: '127.0.0.1', port: 0 });
    worker = await service.startWorker();
  });
  afterAll(async () => {
    await worker?.[Symbol.asyncDispose]();
    await service?.[Symbol.asyncDispose]();
  });

  test('prints the URL of the result, and the same URL when it is run again', async () => {
    const { apiKey, accountId } = await service.client();
    const args = ['docs/examples/quickstart.ts', `${origin}/api`, apiKey, 'docs/sample-room.jpg'];
    const run = () => promisify(execFile)(process.execPath, ['--import', 'tsx', ...args]);
    const first = (await run()).stdout.trim();
    const result = await fetch(first);
    expect([result.status, result.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    await result.body?.cancel();
    expect((await run()).stdout.trim()).toBe(first);
    expect((await service.stores.accounts.get(accountId)).balance).toBe(49);
  });

  test.each([
    ['a wrong key', ['ija_wrong', 'docs/sample-room.jpg'], /^401 invalid_api_key: .* See http\S+\n$/],
    ['a file that does not exist', ['ija_wrong', 'nowhere.jpg'], /^ENOENT: .*nowhere\.jpg'\n$/],
    ['a missing argument', [], /^Usage: quickstart\.ts API_BASE API_KEY IMAGE\n$/],
  ])('says in one line what is wrong with %s', async (_what, args, message) => {
    const base = `${origin}/api`;
    const command = ['--import', 'tsx', 'docs/examples/quickstart.ts', base, ...args];
    const failing = promisify(execFile)(process.execPath, command);
    await expect(failing).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
  });
});
