import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Job } from '../../lib/contract/schemas.ts';
import { GeneratorError } from '../../lib/generators/errors.ts';
import { collections } from '../../lib/stores/mongo/documents.ts';
import { type CommandLine, openCommandLine } from '../operator/command-line.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { type Dump, dumpDatabase, restoreDatabase } from '../setup/dump.ts';
import { blockedRender, scriptedGenerators } from '../setup/generators.ts';
import { sampleImage } from '../setup/images.ts';
import { draftOf } from '../setup/records.ts';
import { type Service, startService } from '../setup/service.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

interface Report {
  lost_jobs: number;
  lost_packs: number;
  orphaned_results: number;
  left_to_do: number;
  jobs: { job_id: string; repair: string; done: boolean; reason: string | null }[];
  packs: { reference: string; done: boolean; reason: string | null }[];
}

const open = closers();
let held = blockedRender();
let service: Service;
let cli: CommandLine;
let image_base64: string;
let client: Awaited<ReturnType<Service['client']>>;
let since: string;
let backup: Dump;

beforeAll(async () => {
  service = open.use(await startService());
  cli = openCommandLine(service.config);
  open.use(cli.deps);
  image_base64 = await sampleImage();
  const generators = scriptedGenerators({
    pool: (request) => held.render(request),
    'pool-removal': async () => {
      throw new GeneratorError({ kind: 'refused', reason: 'no_result' }, 'The model made no image.');
    },
  });
  open.use(await service.startWorker({ generators }));
});
beforeEach(async () => {
  held = blockedRender();
  client = await service.client();
  await post('declutter', 'before');
  backup = await dumpDatabase(service.mongo.db);
  since = new Date().toISOString();
});
afterEach(() => held.release());
afterAll(() => open.close());

/** A job that has ended. */
async function post(tool: string, key?: string): Promise<Job> {
  const created = await postJob(service.app, client.headers, { tool, image_base64 }, key);
  expect(created.statusCode).toBe(201);
  return ended(service.app, client.headers, created.json().job_id);
}
const restore = () => restoreDatabase(service.mongo.db, backup);
const closed = async ({ job_id }: Pick<Job, 'job_id'>) => {
  const workflowId = (await service.stores.jobs.get(job_id))?.workflowId ?? '';
  await service.temporal.workflow.getHandle(workflowId).result();
};

/** Waits until Temporal lists the workflows that have ended. */
async function reconcile(expected: number, ...options: string[]) {
  return vi.waitFor(async () => {
    const argv = ['reconcile', '--since', since, '--json', ...options];
    const { code, out, err } = await cli.operator(argv);
    const report = JSON.parse(out) as Report;
    if (!options.includes('--apply')) expect(report.lost_jobs).toBe(expected);
    return { code, err, report };
  }, 60_000);
}
const balance = async () => (await service.stores.accounts.get(client.accountId)).balance;
const charges = async () =>
  (await service.stores.ledger.list(client.accountId)).filter(({ kind }) => kind === 'charge').length;
const audit = () => service.stores.ledger.audit();

describe('reconcile --since, after a restore of MongoDB,', () => {
  test('restores completed jobs as they were, charges them once, and reports the rest', async () => {
    const jobs = [await post('declutter', 'a'), await post('declutter')];
    const failed = await post('pool-removal', 'c');
    await Promise.all([...jobs, failed].map(closed));
    await restore();
    expect(await balance()).toBe(49);

    const dry = await reconcile(3);
    expect(dry).toMatchObject({ code: 0, report: { left_to_do: 2, orphaned_results: 2 } });
    expect(await balance()).toBe(49);
    const { code, report } = await reconcile(3, '--apply');
    expect([code, report.left_to_do, report.orphaned_results]).toEqual([0, 0, 0]);
    const byId = new Map(report.jobs.map((job) => [job.job_id, job]));
    for (const { job_id } of jobs) expect(byId.get(job_id)).toMatchObject({ repair: 'restore', done: true });
    expect(byId.get(failed.job_id)).toMatchObject({
      repair: 'none',
      reason: expect.stringContaining('nothing is owed'),
    });

    for (const job of jobs) {
      const read = (
        await service.app.inject({ url: `/api/v1/jobs/${job.job_id}`, headers: client.headers })
      ).json();
      const { created_at, completed_at, ...rest } = job;
      expect(read).toMatchObject(rest);
      const apart = (a: string, b: string | null) => Math.abs(Date.parse(a) - Date.parse(b ?? ''));
      expect(apart(read.created_at, created_at)).toBeLessThan(10_000);
      expect(apart(read.completed_at, completed_at)).toBeLessThan(10_000);
    }
    expect([await balance(), await charges(), await audit()]).toEqual([47, 3, []]);
    const replay = await postJob(service.app, client.headers, { tool: 'declutter', image_base64 }, 'a');
    expect(replay.json()).toMatchObject({ job_id: jobs[0]?.job_id, status: 'completed' });
    expect((await reconcile(1)).report.left_to_do).toBe(0);
    expect([await balance(), await charges()]).toEqual([47, 3]);
  });

  test('restores a job whose workflow is still rendering, which then completes it', async () => {
    const created = await postJob(service.app, client.headers, { tool: 'pool', image_base64 }, 'a');
    const jobId: string = created.json().job_id;
    await expect.poll(() => service.stores.generatorCalls.list(jobId)).toHaveLength(1);
    await restore();
    await reconcile(1);
    expect((await reconcile(1, '--apply')).report.jobs).toMatchObject([{ repair: 'restore', done: true }]);
    held.release();
    expect((await ended(service.app, client.headers, jobId)).status).toBe('completed');
    expect([await balance(), await charges(), await audit()]).toEqual([48, 2, []]);
  });

  test('completes a job that was processing in the backup, so that it is not refunded', async () => {
    const created = await postJob(service.app, client.headers, { tool: 'pool', image_base64 });
    backup = await dumpDatabase(service.mongo.db);
    held.release();
    const job = await ended(service.app, client.headers, created.json().job_id);
    await closed(job);
    await restore();
    const createdAt = new Date(Date.now() - 3 * 60_000);
    await collections(service.mongo.db).jobs.updateOne({ _id: job.job_id }, { $set: { createdAt } });
    const run = await cli.operator(['reconcile', 'run']);
    expect([run.code, run.err]).toEqual([1, expect.stringContaining('MongoDB is older than Temporal')]);
    await reconcile(1);
    expect((await reconcile(1, '--apply')).report.jobs).toMatchObject([{ repair: 'complete', done: true }]);
    const read = await ended(service.app, client.headers, job.job_id);
    expect(read.result_urls).toEqual(job.result_urls);
    expect([await balance(), await charges(), await audit()]).toEqual([48, 2, []]);
  });

  test('charges nothing for a job that was replayed, is gone, or is excepted', async () => {
    const [replayed, gone, excepted] = [
      await post('declutter', 'a'),
      await post('declutter'),
      await post('declutter'),
    ];
    await Promise.all([replayed, gone, excepted].map(closed));
    const { results = [] } = (await service.stores.jobs.get(gone.job_id)) ?? {};
    await service.images.remove(results);
    await restore();
    const again = await post('declutter', 'a');
    expect(again.job_id).not.toBe(replayed.job_id);
    await reconcile(3);
    const { code, report } = await reconcile(3, '--apply', '--except', excepted.job_id);
    expect(code).toBe(0);
    const reasons = new Map(report.jobs.map(({ job_id, reason }) => [job_id, reason]));
    expect(reasons.get(replayed.job_id)).toContain('was used again');
    expect(reasons.get(gone.job_id)).toContain('does not exist any more');
    expect(reasons.get(excepted.job_id)).toContain('excepted');
    expect([await balance(), await charges(), await audit()]).toEqual([48, 2, []]);
  });

  test('adds packs under their references, once, before it charges the jobs that they paid', async () => {
    const references = join(temporaryFolder(), 'invoices.csv');
    const lines = [
      `${client.accountId},3,"INV-2, 2026"`,
      `${client.accountId},2,INV-3`,
      'Acme Ltd,500,INV-4',
      '',
    ];
    writeFileSync(references, `account,images,reference\n${lines.join('\r\n')}`);
    const buy = (images: number, reference: string) =>
      service.stores.packs.add({ accountId: client.accountId, images, reference });
    const spent = draftOf(client, { imagesCharged: 49 });
    await service.stores.jobs.accept(spent);
    await service.stores.jobs.complete(spent.jobId, { results: [], processingMs: 1 });
    backup = await dumpDatabase(service.mongo.db);
    await buy(3, 'INV-2, 2026');
    await buy(2, 'INV-3');
    const jobs = [await post('declutter'), await post('declutter')];
    await Promise.all(jobs.map(closed));
    await restore();
    expect(await balance()).toBe(0);

    await reconcile(2);
    const short = await reconcile(2, '--apply');
    expect([short.code, short.report.left_to_do]).toEqual([1, 2]);
    expect(short.report.jobs[0]?.reason).toContain('balance does not cover');
    const { code, report } = await reconcile(2, '--apply', '--references', references);
    expect([code, report.lost_packs, report.left_to_do]).toEqual([1, 3, 1]);
    expect(report.packs).toMatchObject([
      { reference: 'INV-2, 2026', done: true },
      { reference: 'INV-3', done: true },
      { reference: 'INV-4', done: false, reason: expect.stringContaining('There is no account') },
    ]);
    expect(await balance()).toBe(3);
    expect((await reconcile(0, '--references', references)).report.lost_packs).toBe(1);
    expect([await balance(), await audit()]).toEqual([3, []]);
  });
});

describe('a POST that is replayed after a restore', () => {
  test.each([
    ['has ended', true],
    ['still renders', false],
  ])('whose workflow %s is charged once and rendered, also concurrently', async (_, hasEnded) => {
    const body = { tool: hasEnded ? 'declutter' : 'pool', image_base64 };
    const first = await postJob(service.app, client.headers, body, 'a');
    if (hasEnded) await closed(await ended(service.app, client.headers, first.json().job_id));
    await restore();
    const replays = Array.from({ length: 5 }, () => postJob(service.app, client.headers, body, 'a'));
    const answers = await Promise.all(replays);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201, 201, 201]);
    const ids = new Set(answers.map((answer) => answer.json().job_id));
    expect(ids.size).toBe(1);
    held.release();
    const [jobId = ''] = ids;
    expect((await ended(service.app, client.headers, jobId)).status).toBe('completed');
    expect([await balance(), await charges(), await audit()]).toEqual([48, 2, []]);
  });
});
