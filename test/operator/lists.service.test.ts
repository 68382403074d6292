import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { draftOf } from '../setup/records.ts';
import { newAccount, openCommandLine, runWith } from './command-line.ts';

const cli = openCommandLine();
const { json, operator, stores } = cli;
afterAll(() => cli[Symbol.asyncDispose]());

type Row = Record<string, unknown>;
const rows = (...command: string[]) => json<Row[]>(...command);

async function clientWithJobs(count: number, changes: object = {}) {
  const client = await newAccount(cli);
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const draft = draftOf(client, changes);
    await stores.jobs.accept(draft);
    ids.push(draft.jobId);
  }
  return { ...client, ids };
}

describe('pages', () => {
  test('of jobs follow each other with --after, and --all has every row', async () => {
    const { accountId, ids } = await clientWithJobs(5);
    const list = ['job', 'list', '--account', accountId];
    const all = await rows(...list, '--all');
    expect(all.map(({ job_id }) => job_id).sort()).toEqual([...ids].sort());
    const first = await rows(...list, '--limit', '3');
    const rest = await rows(...list, '--limit', '3', '--after', String(first.at(-1)?.job_id));
    expect([...first, ...rest]).toEqual(all);
  });

  test('name the option for the next one, in text', async () => {
    const { accountId } = await clientWithJobs(2);
    const { out } = await operator(['job', 'list', '--account', accountId, '--limit', '1']);
    const [first] = await rows('job', 'list', '--account', accountId, '--limit', '1');
    expect(out).toContain(`For more rows, add --after ${first?.job_id} or --all.`);
    expect((await operator(['job', 'list', '--account', accountId])).out).not.toContain('--after');
  });

  test('of accounts have every account', async () => {
    await newAccount(cli);
    await newAccount(cli);
    const all = await rows('account', 'list', '--all');
    const [first] = await rows('account', 'list', '--limit', '1');
    const rest = await rows('account', 'list', '--after', String(first?.account_id), '--limit', '1000');
    expect([first, ...rest]).toEqual(all);
  });

  test('of accounts ask with one query whose renders have a watermark', async () => {
    const [paying, other] = [await newAccount(cli), await newAccount(cli)];
    await stores.packs.add({ accountId: paying.accountId, images: 500, reference: null });
    const asked: number[] = [];
    const packs = {
      ...stores.packs,
      hasPaid: () => Promise.reject(new Error('One query for each account.')),
      paidAmong: (ids: readonly string[]) => {
        asked.push(ids.length);
        return stores.packs.paidAmong(ids);
      },
    };
    const deps = { ...cli.deps, stores: () => ({ ...stores, packs }) };
    const { out } = await runWith(deps, ['account', 'list', '--all', '--json']);
    const all = JSON.parse(out) as Row[];
    expect(asked).toEqual([all.length]);
    expect(all).toContainEqual(expect.objectContaining({ account_id: paying.accountId, watermark: false }));
    expect(all).toContainEqual(expect.objectContaining({ account_id: other.accountId, watermark: true }));
  });

  test('refuse to follow an unknown row', async () => {
    const { code, err } = await operator(['account', 'list', '--after', 'nobody']);
    expect([code, err]).toEqual([1, 'There is no nobody to continue after.\n']);
  });
});

describe('job find', () => {
  test('finds jobs by idempotency key, in every account or one', async () => {
    const idempotencyKey = `order ${randomUUID()}`;
    const first = await clientWithJobs(1, { idempotencyKey });
    const second = await clientWithJobs(1, { idempotencyKey });
    const find = ['job', 'find', '--key', idempotencyKey];
    const found = await rows(...find);
    expect(found.map(({ job_id }) => job_id).sort()).toEqual([...first.ids, ...second.ids].sort());
    expect(await rows(...find, '--account', first.accountId)).toMatchObject([{ job_id: first.ids[0] }]);
    const { out } = await operator(['job', 'find', '--key', 'unknown']);
    expect(out).toBe('No job was created with this Idempotency-Key.\n');
    expect(await operator([...find, '--tool', 'pool'])).toMatchObject({ code: 1 });
  });

  test('finds a key in the form that the API stores, whatever the client sent it as', async () => {
    const key = `bestellung-é ${randomUUID()}`;
    // As Node reads the bytes of a header.
    const sentAsUtf8 = Buffer.from(key, 'utf8').toString('latin1');
    const utf8 = await clientWithJobs(1, { idempotencyKey: sentAsUtf8 });
    const latin1 = await clientWithJobs(1, { idempotencyKey: key });
    const found = await rows('job', 'find', '--key', key);
    expect(found.map(({ job_id }) => job_id).sort()).toEqual([...utf8.ids, ...latin1.ids].sort());
    expect(await rows('job', 'find', '--key', sentAsUtf8)).toMatchObject([{ job_id: utf8.ids[0] }]);
  });

  test('finds jobs by status, tool and time', async () => {
    const { accountId, ids } = await clientWithJobs(2, { tool: 'pool' });
    await stores.jobs.fail(ids[0] ?? '', { error: 'No.', failureReason: 'no_result', processingMs: null });
    const find = (...filter: string[]) => rows('job', 'find', '--account', accountId, ...filter);
    expect(await find('--status', 'failed')).toMatchObject([{ job_id: ids[0], status: 'failed' }]);
    expect(await find('--tool', 'pool', '--since', '1h')).toHaveLength(2);
    expect(await find('--tool', 'declutter')).toEqual([]);
    expect(await find('--since', '2100-01-01')).toEqual([]);
    expect(await rows('job', 'find', '--status', 'failed', '--since', '1d')).toContainEqual(
      expect.objectContaining({ job_id: ids[0], account_id: accountId }),
    );
  });

  test('takes a time as the commands print it', async () => {
    const { accountId } = await clientWithJobs(1);
    const { out } = await operator(['job', 'list', '--account', accountId]);
    const [printed = ''] = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/.exec(out) ?? [];
    expect(await rows('job', 'find', '--account', accountId, '--since', printed)).toHaveLength(1);
    for (const wrong of ['yesterday', '5', '2026-13-01', '36', '2026-01-31T04:20:00'])
      expect((await operator(['job', 'find', '--since', wrong])).err).toContain('Give a time such as');
  });
});

describe('usage', () => {
  const month = new Date().toISOString().slice(0, 7);

  test('sums the jobs of a month by tool', async () => {
    const { accountId, keyId, ids } = await clientWithJobs(2, { tool: 'pool', imagesCharged: 2 });
    await stores.jobs.accept(draftOf({ accountId, keyId }, { tool: 'declutter' }));
    await stores.jobs.fail(ids[0] ?? '', { error: 'No.', failureReason: 'no_result', processingMs: null });
    const command = ['usage', '--account', accountId, '--month', month];
    const declutter = { tool: 'declutter', jobs: 1, images_charged: 1, images_refunded: 0, images: 1 };
    const pool = { tool: 'pool', jobs: 2, failed: 1, images_charged: 4, images_refunded: 2, images: 2 };
    expect(await json(...command)).toMatchObject({
      account_id: accountId,
      month,
      jobs: 3,
      images_charged: 5,
      images_refunded: 2,
      images: 3,
      tools: [declutter, pool],
    });
    const { out } = await operator([...command, '--csv']);
    expect(out).toBe(
      'tool,jobs,completed,failed,images_charged,images_refunded,images\n' +
        'declutter,1,0,0,1,0,1\npool,2,0,1,4,2,2\n',
    );
    expect((await operator(command)).out).toMatch(/^images +3\n\ntools\n\nTOOL +JOBS/m);
  });

  test('of a month without jobs is empty', async () => {
    const { accountId } = await newAccount(cli);
    const empty = await json('usage', '--account', accountId, '--month', '2020-02');
    expect(empty).toMatchObject({ jobs: 0, images: 0, tools: [] });
  });

  test('refuses a month that is none, and two formats', async () => {
    const usage = ['usage', '--account', randomUUID(), '--month'];
    expect((await operator([...usage, '2026-13'])).err).toContain('Give a month such as 2026-01.');
    const both = await operator([...usage, month, '--csv', '--json']);
    expect(JSON.parse(both.err)).toEqual({ error: { message: 'Give --csv or --json, not both.' } });
  });
});
