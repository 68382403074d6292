import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CommandLine, openCommandLine } from '../operator/command-line.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { eventually } from '../setup/eventually.ts';
import { blockedRender, scriptedGenerators } from '../setup/generators.ts';
import { sampleImage } from '../setup/images.ts';
import { type Service, startService } from '../setup/service.ts';

const open = closers();
const held = blockedRender();
let service: Service;
let cli: CommandLine;
let image_base64: string;

beforeAll(async () => {
  service = open.use(await startService());
  cli = openCommandLine(service.config);
  open.use(cli.deps);
  image_base64 = await sampleImage();
  open.use(await service.startWorker({ generators: scriptedGenerators({ pool: held.render }) }));
  open.defer(held.release);
});
afterAll(() => open.close());

type Client = Awaited<ReturnType<Service['client']>>;

async function post({ headers }: Client, tool: string, key?: string): Promise<string> {
  const created = await postJob(service.app, headers, { tool, image_base64 }, key);
  expect(created.statusCode).toBe(201);
  return created.json().job_id;
}

describe('job cancel', () => {
  test('fails a job in progress and refunds it', async () => {
    const client = await service.client();
    const jobId = await post(client, 'pool');
    expect(await cli.json('job', 'cancel', jobId)).toMatchObject({
      job_id: jobId,
      status: 'failed',
      error: 'The job was cancelled. The charge was refunded.',
    });
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(50);
    expect(await service.stores.ledger.audit(client.accountId)).toEqual([]);
    const again = await cli.operator(['job', 'cancel', jobId]);
    expect(again).toMatchObject({ code: 1, err: `Job ${jobId} is failed, so there is nothing to cancel.\n` });
  });

  test('asks on a terminal', async () => {
    const client = await service.client();
    const jobId = await post(client, 'pool');
    expect(await cli.operator(['job', 'cancel', jobId], 'n\n')).toMatchObject({ code: 1 });
    expect(await service.stores.jobs.get(jobId)).toMatchObject({ status: 'processing' });
    expect(await cli.operator(['job', 'cancel', jobId], 'y\n')).toMatchObject({ code: 0 });
  });

  test('fails and refunds a job whose workflow was terminated', async () => {
    const client = await service.client();
    const jobId = await post(client, 'pool');
    await service.temporal.workflow.getHandle(`job:${jobId}`).terminate();
    expect(await cli.json('job', 'cancel', jobId)).toMatchObject({ status: 'failed' });
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(50);
  });
});

describe('job delete', () => {
  test('deletes an ended job with its images and its workflow', async () => {
    const client = await service.client();
    const jobId = await post(client, 'declutter', 'record-1');
    await ended(service.app, client.headers, jobId);
    const { inputs, results, workflowId } = (await service.stores.jobs.get(jobId)) ?? {};
    const shown = await cli.json('job', 'delete', jobId);
    expect(shown).toMatchObject({ job_id: jobId, status: 'deleted', images_charged: 1, result_urls: [] });
    for (const [bucket, refs = []] of [
      ['inputs', inputs],
      ['results', results],
    ] as const) {
      const { found } = await service.images.list(bucket);
      for (const { key } of refs) expect(found.map((object) => object.key)).not.toContain(key);
    }
    const replay = await postJob(
      service.app,
      client.headers,
      { tool: 'declutter', image_base64 },
      'record-1',
    );
    expect([replay.statusCode, replay.json().error.code]).toEqual([404, 'job_not_found']);
    await eventually(() =>
      expect(service.temporal.workflow.getHandle(workflowId ?? '').describe()).rejects.toThrow(),
    );
    const again = await cli.operator(['job', 'delete', jobId]);
    expect(again).toMatchObject({ code: 1, err: `Job ${jobId} is already deleted.\n` });
  });

  test('refuses a job in progress, with the command to cancel it', async () => {
    const client = await service.client();
    const jobId = await post(client, 'pool');
    const { code, err } = await cli.operator(['job', 'delete', jobId]);
    expect([code, err]).toEqual([1, expect.stringContaining(`job cancel ${jobId}`)]);
    await cli.json('job', 'cancel', jobId);
  });
});

describe('tool disable', () => {
  const toolsOf = async ({ headers }: Client): Promise<string[]> =>
    (await service.app.inject({ url: '/api/v1/tools', headers })).json().map(({ slug }: Tool) => slug);
  interface Tool {
    slug: string;
  }

  test('refuses new jobs of the tool with invalid_tool, and still answers replays', async () => {
    const client = await service.client();
    const jobId = await post(client, 'declutter', 'before');
    await cli.json('tool', 'disable', 'declutter');
    const body = { tool: 'declutter', image_base64 };
    await expect.poll(() => toolsOf(client)).not.toContain('declutter');
    const refused = await postJob(service.app, client.headers, body, 'after');
    expect([refused.statusCode, refused.json().error.code]).toEqual([400, 'invalid_tool']);
    expect(refused.json().error.message).toContain('declutter is switched off');
    const replay = await postJob(service.app, client.headers, body, 'before');
    expect([replay.statusCode, replay.json().job_id]).toEqual([201, jobId]);
    await cli.json('tool', 'enable', 'declutter');
    await expect.poll(() => toolsOf(client)).toContain('declutter');
    expect((await postJob(service.app, client.headers, body, 'after')).statusCode).toBe(201);
  });
});
