import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deliveryIdOf } from '../../lib/domain/delivery.ts';
import { GeneratorError } from '../../lib/generators/errors.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { scriptedGenerators } from '../setup/generators.ts';
import { sampleImage } from '../setup/images.ts';
import type { Receiver } from '../setup/receiver.ts';
import type { Service } from '../setup/service.ts';
import { clientWith, deliveryIn, openWithReceiver, QUICK } from '../setup/webhooks.ts';

const open = closers();
let service: Service;
let receiver: Receiver;
let image_base64: string;
let tries = 0;

const generators = scriptedGenerators({
  declutter: async () => {
    tries += 1;
    if (tries === 1) throw new GeneratorError({ kind: 'unavailable', retryAfterMs: 5 }, 'busy');
    throw new GeneratorError({ kind: 'refused', reason: 'safety' }, 'The model refused this image.');
  },
});

beforeAll(async () => {
  ({ receiver, service } = await openWithReceiver(open));
  image_base64 = await sampleImage();
  open.use(await service.startWorker({ generators, webhooks: QUICK }));
});
afterAll(() => open.close());

/** What the Temporal UI shows under "Current details" of the job's workflow. */
async function detailsOf(jobId: string): Promise<string> {
  const handle = service.temporal.workflow.getHandle(`job:${jobId}`);
  const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  return metadata.currentDetails ?? '';
}

async function run(url: string | null, tool: string) {
  const client = await clientWith(service, url);
  await service.stores.accounts.rename(client.accountId, 'Acme *Homes*');
  const created = await postJob(service.app, client.headers, { tool, image_base64 });
  return { ...client, job: await ended(service.app, client.headers, created.json().job_id) };
}

describe("a job's workflow in the Temporal UI", () => {
  test('shows account, charge, generator, attempts and links to the result and the receiver', async () => {
    const { accountId, job } = await run(receiver.url, 'roof-replacement');
    await deliveryIn(service, job.job_id, 'delivered');
    await service.temporal.workflow.getHandle(`job:${job.job_id}`).result();
    expect((await detailsOf(job.job_id)).split('\n')).toEqual([
      `**Completed in ${job.processing_ms} ms**`,
      '',
      `- account: Acme \\*Homes\\* \`${accountId}\``,
      `- job: \`${job.job_id}\`, roof-replacement`,
      '- charge: 1 image',
      expect.stringMatching(/^- generator: scripted `script` in [\d.]+ s$/),
      '- attempts: 1',
      `- result: <${job.result_urls[0]}>`,
      `- webhook: \`${deliveryIdOf(job.job_id)}\` to <${receiver.origin}> is delivered.`,
    ]);
  });

  test('shows why a job failed, at which generator, and after how many attempts', async () => {
    const { job } = await run(null, 'declutter');
    const details = await detailsOf(job.job_id);
    expect(details).toMatch(/^\*\*Failed and refunded\*\*$/m);
    expect(details).toMatch(/^- error: .*The charge was refunded\\\.$/m);
    expect(details).toMatch(/^- generator: scripted$/m);
    expect(details).toMatch(/^- attempts: 2$/m);
  });

  test('has a summary and search attributes that read in a list', async () => {
    const { accountId, job } = await run(null, 'pool');
    const description = await service.temporal.workflow.getHandle(`job:${job.job_id}`).describe();
    expect(await description.staticSummary()).toBe('pool · Acme \\*Homes\\*');
    const shown = description.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]);
    expect(Object.fromEntries(shown)).toMatchObject({
      AccountId: accountId,
      AccountName: 'Acme *Homes*',
      Tool: 'pool',
    });
  });
});
