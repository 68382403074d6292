import { randomUUID } from 'node:crypto';
import { ScheduleNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { schedulesOf } from '../../lib/protocol/schedules.ts';
import { recordSchema } from '../../lib/stores/mongo/schema.ts';
import { openDeps } from '../../operator/deps.ts';
import { SETUP_STEPS } from '../../operator/setup/steps.ts';
import { ownConfig } from '../setup/own-config.ts';
import { draftOf } from '../setup/records.ts';
import { newAccount, openCommandLine, runWith } from './command-line.ts';

const cli = openCommandLine();
const { json, operator, stores } = cli;
// Later, jobs would name images that the buckets of this file do not have.
beforeAll(() => json('setup'));
afterAll(() => cli[Symbol.asyncDispose]());

describe('commands that are refused', () => {
  const unknownId = randomUUID();
  const refused: [argv: string[], sentence: string][] = [
    [['account', 'create'], '--name'],
    [['account', 'create', '--name', ' '], 'one line of 1 to 100 characters'],
    [['account', 'create', '--name', 'a\nb'], 'one line of 1 to 100 characters'],
    [['account', 'create', '--name', 'A', '--webhook-url', 'http://93.184.215.14/'], 'https://'],
    [['account', 'create', '--name', 'A', '--webhook-url', 'https://127.0.0.1/'], 'public internet'],
    [['account', 'create', '--name', 'A', '--webhook-url', 'https://93.184.215.14/\n'], 'control characters'],
    [
      ['account', 'create', '--name', 'A', '--webhook-url', `https://a.b/${'c'.repeat(2000)}`],
      '2000 characters',
    ],
    [['account', 'show'], 'account'],
    [['account', 'show', unknownId], `There is no account ${unknownId}.`],
    [['account', 'show', unknownId, 'more'], 'Too many arguments'],
    [['account', 'disable', unknownId], `There is no account ${unknownId}.`],
    [['account', 'webhook', unknownId], 'Give --url, --rotate-secret or both.'],
    [['account', 'webhook', unknownId, '--rotate-secret'], `There is no account ${unknownId}.`],
    [['account', 'webhok', unknownId], 'Did you mean webhook?'],
    [['key', 'create', '--account', unknownId, '--name', 'A'], `There is no account ${unknownId}.`],
    [['key', 'create', '--account', unknownId, '--name', 'A', '--retention-days', '366'], 'from 1 to 365'],
    [['key', 'create', '--account', unknownId, '--name', 'A', '--retention-days', '1.5'], 'from 1 to 365'],
    [['key', 'list', '--account', unknownId], `There is no account ${unknownId}.`],
    [['key', 'revoke', unknownId], `There is no key ${unknownId}.`],
    [['key', 'retention', unknownId, '--days', '0'], 'from 1 to 365'],
    [['key', 'retention', unknownId, '--days', '1'], `There is no key ${unknownId}.`],
    [['pack', 'add', '--account', unknownId, '--images', '-1'], 'whole number'],
    [['pack', 'add', '--account', unknownId, '--images', '1e3'], 'whole number'],
    [['pack', 'add', '--account', unknownId, '--images', '99999999999999999999'], 'whole number'],
    [['pack', 'add', '--account', unknownId, '--images', '1'], `There is no account ${unknownId}.`],
    [['pack', 'list', '--account', unknownId], `There is no account ${unknownId}.`],
    [['pack', 'add', '--account', unknownId, '--images', '1', '--reference', ' '], 'one line of 1 to 100'],
    [['pack', 'refund', unknownId], `There is no pack ${unknownId}.`],
    [['pack', 'refund', unknownId, '--reference', 'R-1'], `There is no pack ${unknownId}.`],
    [['ledger', 'list', '--account', unknownId], `There is no account ${unknownId}.`],
    [['ledger', 'audit', '--account', unknownId], `There is no account ${unknownId}.`],
    [['job', 'show', unknownId], `There is no job ${unknownId}.`],
    [['job', 'list', '--account', unknownId], `There is no account ${unknownId}.`],
    [['nonsense'], "Unknown command 'nonsense'."],
    [['api', 'disable', '--now'], "Unknown option '--now'."],
  ];

  test.each(refused)('%j', async (argv, sentence) => {
    const before = await stores.accounts.list(1000);
    const plain = await operator(argv);
    expect(plain).toMatchObject({ code: 1, out: '' });
    expect(plain.err).toContain(sentence);
    expect(plain.err.trimEnd()).not.toContain('\n');
    const asJson = await operator([...argv, '--json']);
    expect(asJson).toMatchObject({ code: 1, out: '' });
    expect(JSON.parse(asJson.err)).toEqual({ error: { message: plain.err.trimEnd() } });
    expect(await stores.accounts.list(1000)).toEqual(before);
    expect(await stores.settings.apiEnabled()).toBe(true);
  });

  test('a refund of more than is left changes nothing', async () => {
    const { accountId, keyId } = await newAccount(cli);
    const pack = await json<{ pack_id: string }>('pack', 'add', '--account', accountId, '--images', '10');
    const tooMuch = await operator(['pack', 'refund', pack.pack_id, '--images', '11']);
    expect(tooMuch).toMatchObject({ code: 1, err: expect.stringContaining('has only 10 images left') });
    await stores.jobs.accept(draftOf({ accountId, keyId }, { imagesCharged: 55 }));
    const spent = await operator(['pack', 'refund', pack.pack_id]);
    expect(spent).toMatchObject({ code: 1, err: expect.stringContaining('fewer than 10 images left') });
    expect(await json('account', 'show', accountId)).toMatchObject({ balance: 5, watermark: false });
  });

  test('a noun without a verb shows its help, as an error', async () => {
    expect(await operator(['account'])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('create'),
    });
    const asJson = await operator(['account', '--json']);
    expect(JSON.parse(asJson.err)).toEqual({ error: { message: expect.stringContaining('--help') } });
  });
});

describe('confirmation', () => {
  const revoked = async (keyId: string, accountId: string) =>
    (await stores.keys.list(accountId)).find(({ id }) => id === keyId)?.revokedAt !== null;

  test.each(['n\n', '\n', 'yep\n', ''])('%j to a question changes nothing', async (answer) => {
    const { accountId, keyId } = await newAccount(cli);
    const result = await operator(['key', 'revoke', keyId], answer);
    expect(result).toMatchObject({ code: 1, out: '' });
    expect(result.err).toContain(`Revoke key ${keyId}?`);
    expect(result.err).toContain('Nothing was changed.');
    expect(await revoked(keyId, accountId)).toBe(false);
  });

  test.each(['y\n', 'YES\n'])('%j to a question continues', async (answer) => {
    const { accountId, keyId } = await newAccount(cli);
    expect(await operator(['key', 'revoke', keyId], answer)).toMatchObject({ code: 0 });
    expect(await revoked(keyId, accountId)).toBe(true);
  });

  test('--yes and --json skip the question on a terminal', async () => {
    const { accountId, keyId } = await newAccount(cli);
    const pack = await json<{ pack_id: string }>('pack', 'add', '--account', accountId, '--images', '10');
    const commands = [
      ['pack', 'refund', pack.pack_id, '--images', '1'],
      ['account', 'webhook', accountId, '--rotate-secret'],
      ['key', 'retention', keyId, '--days', '1'],
      ['key', 'revoke', keyId],
    ];
    for (const command of commands)
      for (const flag of ['--yes', '--json'])
        expect(await operator([...command, flag], '')).toMatchObject({ code: 0, err: '' });
  });

  test.each([
    [(id: string) => ['pack', 'refund', id], 'Take back 10 of the 10 images'],
    [(id: string) => ['pack', 'refund', id, '--images', '4'], 'Take back 4 of the 10 images'],
  ])('a refund asks with the number of images', async (command, question) => {
    const { accountId } = await newAccount(cli);
    const pack = await json<{ pack_id: string }>('pack', 'add', '--account', accountId, '--images', '10');
    const result = await operator(command(pack.pack_id), 'n\n');
    expect(result).toMatchObject({ code: 1, err: expect.stringContaining(question) });
    expect(await json('account', 'show', accountId)).toMatchObject({ balance: 60 });
  });
});

describe('text for people', () => {
  test('a table is aligned, with numbers to the right', async () => {
    const { accountId } = await newAccount(cli);
    await json('pack', 'add', '--account', accountId, '--images', '500');
    const { out } = await operator(['ledger', 'list', '--account', accountId]);
    const [head, ...rows] = out.trimEnd().split('\n');
    expect(head).toMatch(/^SEQ {2}AT {23}DELTA {2}BALANCE AFTER {2}ID$/);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatch(/^ {2}1 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC {5}50 {13}50 {2}grant:free50:/);
  });

  test('an empty list is a sentence', async () => {
    const { accountId } = await newAccount(cli);
    const { out } = await operator(['job', 'list', '--account', accountId]);
    expect(out).toBe('The account has no jobs.\n');
  });

  test('the calls of a job are a table, with times like any other', async () => {
    const client = await newAccount(cli);
    const draft = draftOf(client);
    await stores.jobs.accept(draft);
    const call = { id: randomUUID(), generator: 'bfl', model: 'flux-2-pro', mayBeCharged: true };
    await stores.generatorCalls.begin(draft.jobId, call, []);
    const { out } = await operator(['job', 'show', draft.jobId]);
    const [head = '', row = ''] = out.slice(out.indexOf('generator calls')).split('\n').slice(2);
    expect(head).toMatch(/^GENERATOR +MODEL +UPSTREAM ID +STARTED AT/);
    expect(row).toMatch(/^bfl +flux-2-pro +- +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
    expect(out).not.toMatch(/\d{4}-\d\d-\d\dT/);
  });

  test('control characters from a client are escaped', async () => {
    const client = await newAccount(cli);
    const draft = draftOf(client, { options: { customPrompt: '\u001b]0;owned\u0007\u202e\u009b2J' } });
    await stores.jobs.accept(draft);
    await stores.jobs.fail(draft.jobId, {
      error: 'No\u001b[2J\r\nway.',
      failureReason: 'no_result',
      processingMs: null,
    });
    for (const command of [
      ['show', draft.jobId],
      ['list', '--account', client.accountId],
    ]) {
      const { out } = await operator(['job', ...command]);
      expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
      expect(out).toContain('No\\u001b[2J\\u000d\\u000away.');
    }
  });

  test('control characters from a client are escaped in JSON too, which stays the same JSON', async () => {
    const client = await newAccount(cli);
    const customPrompt = 'a\u007f\u0085\u009b31m\u200e\u200f\u202a\u202e\u2028\u2066\u2069é';
    const draft = draftOf(client, { options: { customPrompt } });
    await stores.jobs.accept(draft);
    const { out } = await operator(['job', 'show', draft.jobId, '--json']);
    expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
    expect(out).toContain(String.raw`a\u007f\u0085\u009b31m\u200e`);
    expect(JSON.parse(out)).toMatchObject({ options: { customPrompt } });
    const { err } = await operator(['job', 'show', 'x\u009b\u202e', '--json']);
    expect(err.trimEnd()).toBe(String.raw`{"error":{"message":"There is no job x\u009b\u202e."}}`);
  });
});

describe('servers and settings', () => {
  test('setup is idempotent', async () => {
    const ready = Object.fromEntries(SETUP_STEPS.map(({ name }) => [name, 'ready']));
    expect(Object.keys(ready)).toContain('schedules');
    expect(await json('setup')).toMatchObject(ready);
    expect(await json('setup')).toMatchObject(ready);
    const indexes = await cli.deps.mongo().db.collection('keys').indexes();
    expect(indexes).toContainEqual(expect.objectContaining({ key: { digest: 1 }, unique: true }));
  });

  test('setup of a version that is too old changes nothing', async () => {
    await using older = openCommandLine();
    const { temporal } = older.deps.config();
    await recordSchema(older.deps.mongo().db, { version: 9, oldest: 9 });
    const { code, err } = await runWith(older.deps, ['setup']);
    expect([code, err]).toEqual([1, expect.stringContaining('run a newer release')]);
    const collections = older.deps.mongo().db.listCollections({}, { nameOnly: true });
    expect(await collections.toArray()).toMatchObject([{ name: 'settings' }]);
    for (const { scheduleId } of schedulesOf(temporal.taskQueuePrefix, 1000)) {
      const schedule = older.deps.temporal().schedule.getHandle(scheduleId);
      await expect(schedule.describe()).rejects.toThrow(ScheduleNotFoundError);
    }
  });

  test('setup names every server that is down', async () => {
    const unreachable = openCommandLine(
      ownConfig({ S3_ENDPOINT: 'http://127.0.0.1:1', TEMPORAL_ADDRESS: '127.0.0.1:1' }),
    );
    const { code, err } = await unreachable.operator(['setup']);
    await unreachable[Symbol.asyncDispose]();
    expect(code).toBe(1);
    expect(err).toMatch(
      /^Setup is not complete:\n {2}buckets: .+\n {2}search_attributes: .+\n {2}schedules: .+\n$/,
    );
  });

  test('a database that is down is reported without its password', async () => {
    await using deps = openDeps(() => ({
      ...cli.deps.config(),
      mongo: { ...cli.deps.config().mongo, url: 'mongodb://me:secret@127.0.0.1:1/?replicaSet=rs0' },
    }));
    const { err } = await runWith(deps, ['account', 'list']);
    expect(err).toMatch(/^MongoDB could not be reached: .+\n$/);
    expect(err).not.toContain('secret');
  });

  test('help needs no settings; other commands report missing ones', async () => {
    const deps = openDeps(() => {
      throw new Error('S3_ACCESS_KEY_ID: must be set');
    });
    const help = await runWith(deps, ['account', 'create', '--help']);
    expect(help).toMatchObject({ code: 0, out: expect.stringContaining('--webhook-url'), err: '' });
    const list = await runWith(deps, ['account', 'list']);
    expect(list).toEqual({ code: 1, out: '', err: 'S3_ACCESS_KEY_ID: must be set\n' });
  });
});
