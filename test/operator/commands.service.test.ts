import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { digestApiKey, isWellFormedApiKey } from '../../lib/domain/api-key.ts';
import { collections } from '../../lib/stores/mongo/documents.ts';
import { draftOf } from '../setup/records.ts';
import { newAccount, openCommandLine } from './command-line.ts';

const cli = openCommandLine();
const { json, operator, stores } = cli;
afterAll(() => cli[Symbol.asyncDispose]());

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

test('an account is created, shown, disabled and enabled', async () => {
  const created = await json(
    'account',
    'create',
    '--name',
    'Acme',
    '--webhook-url',
    'https://0x5d.184.215.14/h',
  );
  const { webhook_secret, ...account } = created;
  expect(account).toEqual({
    account_id: UUID,
    name: 'Acme',
    status: 'active',
    balance: 0,
    watermark: true,
    webhook_url: 'https://93.184.215.14/h',
    webhook_disabled: null,
    created_at: ISO,
  });
  expect(webhook_secret).toMatch(SECRET);
  const id = String(account.account_id);
  expect(await json('account', 'show', id)).toEqual(account);
  expect(await json('account', 'disable', id)).toEqual({ ...account, status: 'disabled' });
  expect(await json('account', 'enable', id)).toEqual(account);
  expect(await json('account', 'list')).toContainEqual(account);
});

test('an endpoint is set, its secret rotated for a day, and the endpoint removed', async () => {
  const { account_id: id, webhook_secret: first } = await json<Record<string, string>>(
    ...['account', 'create', '--name', 'Hooked'],
  );
  if (id === undefined) throw new Error('no account id');
  const set = await json('account', 'webhook', id, '--url', 'https://93.184.215.14/h');
  expect(set).toMatchObject({ account_id: id, webhook_url: 'https://93.184.215.14/h' });
  expect(set).not.toHaveProperty('webhook_secret');
  const spelled = ['--url', 'HTTPS://93.184.215.14:443/\u00e9'];
  expect(await json('account', 'webhook', id, ...spelled)).toMatchObject({
    webhook_url: 'https://93.184.215.14/%C3%A9',
  });
  await json('account', 'webhook', id, '--url', 'https://93.184.215.14/h');
  const rotated = await json('account', 'webhook', id, '--rotate-secret');
  expect(rotated).toMatchObject({ webhook_url: 'https://93.184.215.14/h', previous_secret_until: ISO });
  expect(rotated.webhook_secret).toMatch(SECRET);
  const { webhook } = await stores.accounts.get(id);
  expect(webhook).toMatchObject({ secret: rotated.webhook_secret, previousSecret: first });
  expect(webhook.previousUntil?.toISOString()).toBe(rotated.previous_secret_until);
  expect(await json('account', 'webhook', id, '--url', 'none')).toMatchObject({ webhook_url: null });
});

test('a key is shown in full only once, and stored as a digest', async () => {
  const { account_id: id } = await json<{ account_id: string }>('account', 'create', '--name', 'Keys');
  const key = await json('key', 'create', '--account', id, '--name', 'Production', '--retention-days', '30');
  expect(key).toMatchObject({ key_id: UUID, granted: 50, account_id: id, retention_days: 30 });
  const apiKey = String(key.api_key);
  expect(isWellFormedApiKey('ija_', apiKey)).toBe(true);
  expect(await stores.keys.findCaller(digestApiKey(apiKey))).toMatchObject({ keyId: key.key_id });
  expect(await json('key', 'create', '--account', id, '--name', 'Second')).toMatchObject({ granted: 0 });
  const listed = await json<unknown[]>('key', 'list', '--account', id);
  expect(listed).toHaveLength(2);
  expect(listed[0]).toEqual({
    key_id: key.key_id,
    account_id: id,
    name: 'Production',
    key_begins: apiKey.slice(0, 8),
    retention_days: 30,
    created_at: ISO,
    revoked_at: null,
  });
});

test('retention is set and cleared, and a revoked key stays revoked', async () => {
  const { keyId, apiKey } = await newAccount(cli);
  expect(await json('key', 'retention', keyId, '--days', '7')).toMatchObject({ retention_days: 7 });
  expect(await json('key', 'retention', keyId, '--days', 'none')).toMatchObject({ retention_days: null });
  const revoked = await json('key', 'revoke', keyId);
  expect(revoked).toMatchObject({ key_id: keyId, revoked_at: ISO });
  expect(await json('key', 'revoke', keyId)).toEqual(revoked);
  expect(await stores.keys.findCaller(digestApiKey(apiKey))).toMatchObject({ revoked: true });
});

test('a pack removes the watermark until it is refunded in full', async () => {
  const { accountId } = await newAccount(cli);
  const account = ['--account', accountId];
  const pack = await json('pack', 'add', ...account, '--images', '500', '--reference', 'INV-1');
  expect(pack).toMatchObject({ pack_id: UUID, images: 500, refunded: 0, reference: 'INV-1', balance: 550 });
  const id = String(pack.pack_id);
  expect(await json('account', 'show', accountId)).toMatchObject({ balance: 550, watermark: false });
  const partialRefund = await json('pack', 'refund', id, '--images', '100');
  expect(partialRefund).toMatchObject({ pack_id: id, refunded: 100, left: 400, balance: 450 });
  expect(await json('pack', 'refund', id)).toMatchObject({ refunded: 400, left: 0, balance: 50 });
  expect(await json('account', 'show', accountId)).toMatchObject({ balance: 50, watermark: true });
  expect(await json('pack', 'list', ...account)).toMatchObject([{ pack_id: id, refunded: 500 }]);
});

test('the ledger lists every change of a balance', async () => {
  const { accountId } = await newAccount(cli);
  const pack = await json('pack', 'add', '--account', accountId, '--images', '10');
  expect(await json('ledger', 'list', '--account', accountId)).toEqual([
    {
      id: `grant:free50:${accountId}`,
      seq: 1,
      at: ISO,
      kind: 'grant',
      delta: 50,
      balance_after: 50,
      job_id: null,
      pack_id: null,
    },
    expect.objectContaining({ id: `pack:${pack.pack_id}`, delta: 10, balance_after: 60 }),
  ]);
});

test('an audit exits with 1 and the reason when the books of an account are wrong', async () => {
  const [intact, broken] = [await newAccount(cli), await newAccount(cli)];
  expect(await json('ledger', 'audit')).toEqual({ ok: true, breaches: [] });
  const { accounts } = collections(cli.deps.mongo().db);
  await accounts.updateOne({ _id: broken.accountId }, { $set: { balance: 7 } });
  const { code, out, err } = await operator(['ledger', 'audit', '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(out)).toEqual({ ok: false, breaches: [expect.stringContaining('the balance is 7')] });
  expect(JSON.parse(err)).toEqual({ error: { message: 'The books are not right: 1 breach.' } });
  expect(await json('ledger', 'audit', '--account', intact.accountId)).toMatchObject({ ok: true });
  await accounts.updateOne({ _id: broken.accountId }, { $set: { balance: 50 } });
});

test('jobs are listed and shown with their results', async () => {
  const { accountId, keyId } = await newAccount(cli);
  const draft = draftOf({ accountId, keyId }, { imagesCharged: 2 });
  await stores.jobs.accept(draft);
  const key = `${accountId}/${randomUUID()}-staged.jpeg`;
  const { generatorCalls } = stores;
  const call = { id: randomUUID(), generator: 'bfl', model: 'flux-2-pro', mayBeCharged: true };
  await generatorCalls.begin(draft.jobId, call, []);
  await stores.jobs.complete(draft.jobId, { results: [{ bucket: 'results', key }], processingMs: 900 });
  await generatorCalls.update(draft.jobId, call.id, {
    task: { id: 't1' },
    outcome: 'completed',
    costUsd: 0.05,
  });
  const { generator_calls, ...shown } = await json<{ generator_calls: unknown }>('job', 'show', draft.jobId);
  expect(generator_calls).toMatchObject([
    { generator: 'bfl', model: 'flux-2-pro', upstream_id: 't1', outcome: 'completed', cost_usd: 0.05 },
  ]);
  expect(shown).toEqual({
    job_id: draft.jobId,
    account_id: accountId,
    key_id: keyId,
    tool: 'image-enhancement',
    status: 'completed',
    images_charged: 2,
    result_urls: [`${cli.deps.config().s3.uploadUrl}/${key}`],
    error: null,
    created_at: ISO,
    completed_at: ISO,
    processing_ms: 900,
    options: draft.options,
    warnings: [],
    webhook_url: null,
    workflow_id: draft.workflowId,
  });
  await stores.jobs.accept(draftOf({ accountId, keyId }));
  const listed = await json<unknown[]>('job', 'list', '--account', accountId);
  expect(listed).toHaveLength(2);
  expect(listed).toContainEqual(shown);
  expect(await json('job', 'list', '--account', accountId, '--limit', '1')).toHaveLength(1);
});

test('the API is switched off and on', async () => {
  expect(await json('api', 'disable')).toEqual({ api_enabled: false });
  expect(await stores.settings.apiEnabled()).toBe(false);
  expect(await json('api', 'enable')).toEqual({ api_enabled: true });
  expect(await stores.settings.apiEnabled()).toBe(true);
});
