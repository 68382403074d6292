import { afterAll, describe, expect, test } from 'vitest';
import { newAccount, openCommandLine } from './command-line.ts';

const cli = openCommandLine();
const { json, operator, stores } = cli;
afterAll(() => cli[Symbol.asyncDispose]());

/** Runs a command twice and returns both results. */
async function twice(...command: string[]): Promise<[first: Result, again: Result]> {
  return [await json(...command), await json(...command)];
}
type Result = Record<string, unknown>;

describe('a command repeated with its reference', () => {
  test('returns the same account and secret', async () => {
    const [first, again] = await twice('account', 'create', '--name', 'Twice', '--reference', 'crm-1');
    expect(again).toEqual(first);
    const { out } = await operator(['account', 'create', '--name', 'Twice', '--reference', 'crm-1']);
    expect(out).toContain('The reference was used before');
    expect(out).not.toContain('Keep the secret now');
    const named = (await stores.accounts.list(1000)).filter(({ name }) => name === 'Twice');
    expect(named.map(({ id }) => id)).toEqual([first.account_id]);
  });

  test('returns the same key, without its secret part', async () => {
    const { accountId } = await newAccount(cli);
    const command = ['key', 'create', '--account', accountId, '--name', 'CI', '--reference', 'ci'];
    const [first, again] = await twice(...command);
    expect(first.api_key).toMatch(/^ija_/);
    expect(again).toEqual({ ...first, api_key: null });
    const { out } = await operator(command);
    expect(out).toMatch(/^api key +-$/m);
    expect(out).toContain('The reference was used before');
    expect(out).not.toContain('Keep the key now');
    expect(await stores.keys.list(accountId)).toHaveLength(2);
  });

  test('returns the same pack and refund, with a note that nothing was changed', async () => {
    const { accountId } = await newAccount(cli);
    const add = ['pack', 'add', '--account', accountId, '--images', '10', '--reference', 'INV-7'];
    const [pack, packAgain] = await twice(...add);
    expect(packAgain).toEqual(pack);
    const refund = ['pack', 'refund', String(pack.pack_id), '--reference', 'CREDIT-7'];
    const [first, again] = await twice(...refund);
    expect(first).toMatchObject({ refunded: 10, left: 0, balance: 50 });
    expect(again).toEqual(first);
    // Also on a terminal, without a question.
    for (const command of [add, refund])
      expect(await operator(command, '')).toMatchObject({
        code: 0,
        err: '',
        out: expect.stringContaining('Nothing was changed'),
      });
    expect(await json('account', 'show', accountId)).toMatchObject({ balance: 50 });
  });

  test('is refused with other arguments', async () => {
    const { accountId } = await newAccount(cli);
    const add = ['pack', 'add', '--account', accountId, '--reference', 'INV-8', '--images'];
    await json(...add, '10');
    const other = await operator([...add, '11', '--json']);
    expect(other).toMatchObject({ code: 1, out: '' });
    const message = 'The reference INV-8 was used before with images 10, not 11.';
    expect(JSON.parse(other.err)).toEqual({ error: { message } });
    expect(await json('account', 'show', accountId)).toMatchObject({ balance: 60 });
  });
});
