import { afterAll, expect, test } from 'vitest';
import { newAccount, openCommandLine } from './command-line.ts';

const cli = openCommandLine();
const { json, operator } = cli;
afterAll(() => cli[Symbol.asyncDispose]());

test('a key is created with scopes, listed with them, and limited to others', async () => {
  const { accountId, keyId } = await newAccount(cli);
  const account = ['--account', accountId];
  const created = await json('key', 'create', ...account, '--name', 'CI', '--scopes', 'account,jobs');
  expect(created).toMatchObject({ scopes: ['jobs', 'account'] });
  const scopes = async () =>
    (await json<{ scopes?: string[] }[]>('key', 'list', ...account)).map((key) => key.scopes);
  expect(await scopes()).toEqual([undefined, ['jobs', 'account']]);
  expect((await operator(['key', 'list', ...account])).out).toContain('jobs, account');
  expect(await json('key', 'scopes', keyId, '--scopes', 'webhooks')).toMatchObject({ scopes: ['webhooks'] });
  expect(await json('key', 'scopes', keyId, '--scopes', 'all')).not.toHaveProperty('scopes');
  const free = await json('key', 'create', ...account, '--name', 'Free', '--scopes', 'all');
  expect(free).not.toHaveProperty('scopes');
});

test('scopes that do not exist are refused, and no key is created', async () => {
  const { accountId, keyId } = await newAccount(cli);
  for (const scopes of ['', 'job', 'jobs,', 'jobs,admin', 'Jobs', 'all,jobs', 'jobs account']) {
    for (const command of [
      ['create', '--account', accountId, '--name', 'CI'],
      ['scopes', keyId, '--yes'],
    ])
      expect(await operator(['key', ...command, '--scopes', scopes])).toMatchObject({
        code: 1,
        err: expect.stringContaining('Give all, or some of jobs, account, webhooks'),
      });
  }
  expect(await json('key', 'list', '--account', accountId)).toHaveLength(1);
});

test('a limit asks before it cuts a client off; lifting it does not', async () => {
  const { keyId } = await newAccount(cli);
  const limited = await operator(['key', 'scopes', keyId, '--scopes', 'jobs'], 'n\n');
  expect(limited).toMatchObject({ code: 1, err: expect.stringContaining(`Limit key ${keyId} to jobs?`) });
  expect(await operator(['key', 'scopes', keyId, '--scopes', 'all'], '')).toMatchObject({ code: 0 });
  const unknown = crypto.randomUUID();
  expect((await operator(['key', 'scopes', unknown, '--scopes', 'all'])).err).toBe(
    `There is no key ${unknown}.\n`,
  );
});
