import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { retentionWorkflowId } from '../../lib/protocol/workflow-ids.ts';
import { openDeps } from '../../operator/deps.ts';
import { draftOf } from '../setup/records.ts';
import { newAccount, openCommandLine, runWith } from './command-line.ts';

const cli = openCommandLine();
const { json, operator, stores } = cli;
afterAll(async () => {
  // Closing an account has started it, and no worker of this file ends it.
  const { taskQueuePrefix } = cli.deps.config().temporal;
  await cli.deps.temporal().workflow.getHandle(retentionWorkflowId(taskQueuePrefix)).terminate();
  await cli[Symbol.asyncDispose]();
});

test('an account is renamed', async () => {
  const { accountId } = await newAccount(cli);
  expect(await json('account', 'rename', accountId, '--name', 'Acme Homes')).toMatchObject({
    account_id: accountId,
    name: 'Acme Homes',
  });
});

describe('account credit', () => {
  test('adds images with a reason to the ledger, and the watermark stays', async () => {
    const { accountId } = await newAccount(cli);
    const command = ['account', 'credit', accountId, '--images', '5', '--reason', 'Late results'];
    const credit = await json(...command);
    expect(credit).toEqual({
      account_id: accountId,
      ledger_id: expect.stringMatching(/^credit:/),
      images: 5,
      reason: 'Late results',
      balance: 55,
    });
    expect(await json('account', 'show', accountId)).toMatchObject({ balance: 55, watermark: true });
    const rows = await json<object[]>('ledger', 'list', '--account', accountId);
    expect(rows.at(-1)).toMatchObject({ id: credit.ledger_id, kind: 'credit', reason: 'Late results' });
    expect(rows[0]).not.toHaveProperty('reason');
    expect((await operator(command)).out).toContain('does not remove the watermark');
  });

  test('is given once for its reference', async () => {
    const { accountId } = await newAccount(cli);
    const command = [
      'account',
      'credit',
      accountId,
      '--images',
      '5',
      '--reason',
      'Sorry',
      '--reference',
      'T-9',
    ];
    const first = await json(...command);
    expect(await json(...command)).toEqual(first);
    expect((await operator(command)).out).toContain('The reference was used before');
    expect(await json('account', 'show', accountId)).toMatchObject({ balance: 55 });
  });

  test('needs a reason', async () => {
    const { accountId } = await newAccount(cli);
    const { code, err } = await operator(['account', 'credit', accountId, '--images', '5']);
    expect([code, err]).toEqual([1, expect.stringContaining('--reason')]);
  });
});

describe('account close', () => {
  test('revokes the keys, deletes the jobs and keeps the ledger', async () => {
    const client = await newAccount(cli);
    const { accountId } = client;
    const [completed, failed] = [draftOf(client), draftOf(client)];
    for (const draft of [completed, failed]) await stores.jobs.accept(draft);
    const result = { bucket: 'results' as const, key: `${accountId}/${randomUUID()}-pool.jpeg` };
    await stores.jobs.complete(completed.jobId, { results: [result], processingMs: 1 });
    await stores.jobs.fail(failed.jobId, { error: 'No.', failureReason: 'no_result', processingMs: 1 });

    const closed = await json('account', 'close', accountId, '--forfeit');
    expect(closed).toMatchObject({ status: 'closed', balance: 0, forfeited: 49, jobs_deleted: 2 });
    expect(await stores.keys.list(accountId)).toMatchObject([{ revokedAt: expect.any(Date) }]);
    const { refs } = await stores.removals.pending('', 100);
    expect(refs).toEqual(expect.arrayContaining([result, completed.input, failed.input]));
    expect(await stores.jobs.get(completed.jobId)).toMatchObject({ status: 'deleted', imagesCharged: 1 });
    expect(await json('ledger', 'audit', '--account', accountId)).toMatchObject({ ok: true });

    const again = await json('account', 'close', accountId);
    expect(again).toMatchObject({ status: 'closed', forfeited: 0, jobs_deleted: 0 });
    const enable = await operator(['account', 'enable', accountId]);
    expect(enable).toMatchObject({ code: 1, err: `Account ${accountId} is closed for good.\n` });
  });

  test('leaves the images to the daily run when Temporal cannot be reached', async () => {
    await using deps = openDeps(() => {
      const config = cli.deps.config();
      return { ...config, temporal: { ...config.temporal, address: '127.0.0.1:1' } };
    });
    const { accountId } = await newAccount(cli);
    const { code, out } = await runWith(deps, ['account', 'close', accountId, '--forfeit']);
    expect([code, out]).toEqual([0, expect.stringContaining('The daily retention run removes the images')]);
    expect(out).toMatch(/Temporal could not be reached: .*npm start.*TEMPORAL_ADDRESS\.$/m);
  });

  test('is refused while images are left or a job is in progress', async () => {
    const client = await newAccount(cli);
    const refused = async (...flags: string[]) =>
      (await operator(['account', 'close', client.accountId, ...flags])).err;
    expect(await refused()).toContain('has 50 images left. Add --forfeit');
    await stores.jobs.accept(draftOf(client));
    expect(await refused('--forfeit')).toContain('has 1 jobs in progress');
    expect(await json('account', 'show', client.accountId)).toMatchObject({ status: 'active', balance: 49 });
  });

  test('is refused when images were bought while it asked', async () => {
    const { accountId } = await newAccount(cli);
    const { code, err } = await operator(['account', 'close', accountId, '--forfeit'], async () => {
      await json('pack', 'add', '--account', accountId, '--images', '2500');
      return 'y\n';
    });
    expect([code, err]).toEqual([1, expect.stringContaining('has 2550 images left now, not 50')]);
    expect(await json('account', 'show', accountId)).toMatchObject({ status: 'active', balance: 2550 });
  });

  test('asks with the name and the images that are lost', async () => {
    const { accountId } = await newAccount(cli);
    const { err } = await operator(['account', 'close', accountId, '--forfeit'], 'n\n');
    expect(err).toContain(`Close account ${accountId} (Acme) for good`);
    expect(err).toContain('Its 50 images are forfeited.');
    expect(await json('account', 'show', accountId)).toMatchObject({ status: 'active' });
  });
});
