import { fetch } from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { JobDraft } from '../../lib/domain/records.ts';
import { collections } from '../../lib/stores/mongo/documents.ts';
import { type CommandLine, openCommandLine } from '../operator/command-line.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { blockedRender, scriptedGenerators } from '../setup/generators.ts';
import { sampleImage } from '../setup/images.ts';
import { recordMetrics } from '../setup/metrics.ts';
import type { Receiver } from '../setup/receiver.ts';
import { reconciled } from '../setup/reconcile.ts';
import { draftOf } from '../setup/records.ts';
import type { Service } from '../setup/service.ts';
import { clientWith, deliveryIn, openWithReceiver } from '../setup/webhooks.ts';

const HOUR_MS = 3_600_000;
const LOST = 'The job was interrupted before it could finish. The charge was refunded.';
const { metrics, values } = recordMetrics();
const open = closers();
let held = blockedRender();
let receiver: Receiver;
let service: Service;
let cli: CommandLine;
let image_base64: string;

beforeAll(async () => {
  ({ receiver, service } = await openWithReceiver(open));
  cli = openCommandLine(service.config);
  open.use(cli.deps);
  image_base64 = await sampleImage();
  const generators = scriptedGenerators({ pool: (request) => held.render(request) });
  open.use(await service.startWorker({ generators, metrics, reconcile: { lostJobMs: 0 } }));
});
beforeEach(() => {
  held = blockedRender();
  receiver.behave(204);
});
afterEach(() => held.release());
afterAll(() => open.close());

/** Jobs in progress of whose workflows Temporal knows nothing. */
async function unknownJobs(count: number) {
  const client = await service.client(100);
  const drafts: JobDraft[] = Array.from({ length: count }, () => draftOf(client));
  for (const draft of drafts) await service.stores.jobs.accept(draft);
  const statuses = async () => {
    const jobs = await service.stores.jobs.list(client.accountId, 100);
    return [...new Set(jobs.map(({ status }) => status))];
  };
  const balance = async () => (await service.stores.accounts.get(client.accountId)).balance;
  return { ...client, statuses, balance };
}

/** A job whose render does not finish, created `hours` ago. */
async function heldJob(client: Awaited<ReturnType<typeof clientWith>>, hours = 0) {
  const created = await postJob(service.app, client.headers, { tool: 'pool', image_base64 });
  const jobId: string = created.json().job_id;
  await vi.waitFor(
    async () => expect(await service.stores.generatorCalls.list(jobId)).toHaveLength(1),
    60_000,
  );
  const createdAt = new Date(Date.now() - hours * HOUR_MS);
  await collections(service.mongo.db).jobs.updateOne({ _id: jobId }, { $set: { createdAt } });
  return { jobId, workflow: service.temporal.workflow.getHandle(`job:${jobId}`) };
}

async function statusOf(url = ''): Promise<number> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.status;
}

const NOTHING = {
  refunded: 0,
  webhooks_resumed: 0,
  calls_cancelled: 0,
  calls_left: 0,
  deleted: 0,
  failed: 0,
};

describe('a Temporal namespace without the workflows of the jobs in progress', () => {
  test('stops the run: nothing is refunded before the operator confirms it', async () => {
    const { statuses, balance, accountId } = await unknownJobs(25);
    const { code, out, err } = await cli.operator(['reconcile', 'run', '--json']);
    expect(JSON.parse(out)).toMatchObject({ ...NOTHING, checked: 25 });
    expect(code).toBe(1);
    expect(err).toContain('25 of the 25 jobs in progress that were checked are lost. None was refunded.');
    expect(err).toContain('operator reconcile run --confirm');
    expect(await statuses()).toEqual(['processing']);
    expect(await balance()).toBe(125);
    expect(await values('imagejob_reconcile_stopped_total')).toEqual({ '{}': 1 });

    expect(await cli.json('reconcile', 'run', '--confirm')).toMatchObject({
      ...NOTHING,
      checked: 25,
      refunded: 25,
    });
    expect(await statuses()).toEqual(['failed']);
    expect(await balance()).toBe(150);
    expect(await service.stores.ledger.audit(accountId)).toEqual([]);
    expect(await cli.json('reconcile', 'run')).toMatchObject({ ...NOTHING, checked: 0 });
  });

  test('does not stop it when only a few of many jobs are lost', async () => {
    const client = await clientWith(service, null);
    const { jobId } = await heldJob(client);
    const { statuses } = await unknownJobs(3);
    expect(await reconciled(service)).toMatchObject({ checked: 4, refunded: 3 });
    expect(await statuses()).toEqual(['failed']);
    held.release();
    expect((await ended(service.app, client.headers, jobId)).status).toBe('completed');
  });
});

describe('a job that has been processing for more than 25 hours', () => {
  test('is refunded though its workflow runs, its webhook is sent, and a late result is thrown away', async () => {
    const client = await clientWith(service, receiver.url);
    const { jobId, workflow } = await heldJob(client, 26);
    expect(await values('imagejob_job_oldest_processing_seconds')).toEqual({
      '{}': expect.closeTo(93_600, -3),
    });
    expect(await reconciled(service)).toMatchObject({ checked: 1, refunded: 1 });
    expect(await ended(service.app, client.headers, jobId)).toMatchObject({ status: 'failed', error: LOST });
    expect((await workflow.describe()).status.name).toBe('TERMINATED');
    await deliveryIn(service, jobId, 'delivered');

    held.release();
    await vi.waitFor(async () => {
      const [call] = await service.stores.generatorCalls.list(jobId);
      expect(call?.outcome).not.toBeNull();
    }, 60_000);
    expect(await ended(service.app, client.headers, jobId)).toMatchObject({
      status: 'failed',
      result_urls: [],
    });
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(50);
    expect(await service.stores.ledger.audit(client.accountId)).toEqual([]);
    expect(await values('imagejob_job_oldest_processing_seconds')).toEqual({ '{}': 0 });
  });

  test('and not quite so long is left to its workflow', async () => {
    const client = await clientWith(service, null);
    const { jobId } = await heldJob(client, 24);
    expect(await reconciled(service)).toMatchObject({ checked: 1, refunded: 0 });
    held.release();
    expect((await ended(service.app, client.headers, jobId)).status).toBe('completed');
  });
});

test('an account whose closing was interrupted loses its jobs and images', async () => {
  const client = await clientWith(service, null);
  const created = await postJob(service.app, client.headers, { tool: 'declutter', image_base64 });
  const { job_id, result_urls } = await ended(service.app, client.headers, created.json().job_id);
  // The command is killed after its first step.
  await service.stores.accounts.close(client.accountId, 49);
  expect(await statusOf(result_urls[0])).toBe(200);
  expect(await cli.json('reconcile', 'run')).toMatchObject({ deleted: 1, failed: 0 });
  expect(await service.stores.jobs.get(job_id)).toMatchObject({ status: 'deleted', imagesCharged: 1 });
  expect(await statusOf(result_urls[0])).toBe(404);
  expect(await service.stores.ledger.audit(client.accountId)).toEqual([]);
  expect(await cli.json('reconcile', 'run')).toMatchObject({ deleted: 0 });
});
