import { afterAll, describe, expect, test } from 'vitest';
import { newAccount, openCommandLine } from './command-line.ts';

const cli = openCommandLine();
const { json, operator, stores } = cli;
afterAll(() => cli[Symbol.asyncDispose]());

describe('the API', () => {
  test('asks on a terminal before it is switched off, and shows its state', async () => {
    const refused = await operator(['api', 'disable'], 'n\n');
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('Switch the API off?') });
    expect(await json('api', 'status')).toEqual({ api_enabled: true, disabled_tools: [] });
    expect(await operator(['api', 'disable'], 'y\n')).toMatchObject({ code: 0 });
    expect((await operator(['api', 'status'])).out).toMatch(/^api enabled +no$/m);
    expect(await operator(['api', 'enable'], '')).toMatchObject({ code: 0, err: '' });
    expect(await operator(['api', 'disable', '--yes'], '')).toMatchObject({ code: 0, err: '' });
    await json('api', 'enable');
  });
});

test('an account asks on a terminal before it is disabled, by its name', async () => {
  const { accountId } = await newAccount(cli);
  const refused = await operator(['account', 'disable', accountId], 'n\n');
  expect(refused.err).toContain(`Disable account ${accountId} (Acme)?`);
  expect(await stores.accounts.get(accountId)).toMatchObject({ status: 'active' });
  expect(await operator(['account', 'disable', accountId], 'y\n')).toMatchObject({ code: 0 });
  expect(await stores.accounts.get(accountId)).toMatchObject({ status: 'disabled' });
});

describe('a tool', () => {
  test('is switched off and on', async () => {
    expect(await json('tool', 'disable', 'pool')).toEqual({ tool: 'pool', enabled: false });
    expect(await json('api', 'status')).toMatchObject({ disabled_tools: ['pool'] });
    const listed = await json<object[]>('tool', 'list');
    expect(listed).toContainEqual({ tool: 'pool', images_cost: 1, enabled: false });
    expect(listed).toContainEqual({ tool: '4k-upscale', images_cost: 2, enabled: true });
    expect((await operator(['tool', 'enable', 'pool'])).out).toBe('pool is switched on.\n');
    expect(await json('api', 'status')).toMatchObject({ disabled_tools: [] });
  });

  test('is refused when there is none of that name', async () => {
    const { code, err } = await operator(['tool', 'disable', 'swimming-pool']);
    expect([code, err]).toEqual([1, 'There is no tool swimming-pool. See tool list.\n']);
  });
});
