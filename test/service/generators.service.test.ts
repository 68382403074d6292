import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Job } from '../../lib/contract/schemas.ts';
import { openDeps } from '../../operator/deps.ts';
import { runWith } from '../operator/command-line.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { sampleImage, sampleJpeg } from '../setup/images.ts';
import { keptLog } from '../setup/kept-log.ts';
import type { Service } from '../setup/service.ts';
import { openWithUpstreams } from '../setup/upstream-service.ts';
import type { Upstreams } from '../setup/upstreams.ts';

const ORDERS = {
  GENERATORS: 'preview',
  GENERATORS_FOR_INTERIOR: 'bfl,gemini',
  GENERATORS_FOR_KITCHEN_BATH: 'openai,gemini',
  GENERATORS_FOR_REMOVAL: 'openai',
  GENERATORS_FOR_FLOOR_PLANS: 'fal',
  GENERATORS_FOR_LIGHT_SEASONS: 'replicate',
  GENERATORS_FOR_EXTERIOR: 'comfyui',
  GENERATORS_FOR_STAGING: 'gemini',
  FAL_CONCURRENCY: '1',
};
/** A tool of each group. */
const [BFL_OR_GEMINI, OPENAI_OR_GEMINI, OPENAI, FAL] = [
  'wall-color-change',
  'cabinet-replacement',
  'declutter',
  'floor-plan-to-3d',
];
/** What upstreams say, and clients must not read. */
const WORDS = 'the words of the upstream';

const log = keptLog();
const open = closers();
let upstreams: Upstreams;
let service: Service;
let image_base64: string;

beforeAll(async () => {
  ({ upstreams, service } = await openWithUpstreams(open, ORDERS));
  open.use(await service.startWorker({ logger: pino({ level: 'error' }, log) }));
  open.defer(() => upstreams.all((fake) => fake.release()));
  image_base64 = await sampleImage();
});
beforeEach(async () => upstreams.reset(await sampleJpeg(64, 48, '#2040a0')));
afterAll(() => open.close());

async function start(tool: string) {
  const client = await service.client();
  const created = await postJob(service.app, client.headers, { tool, image_base64 });
  return { client, jobId: created.json<Job>().job_id };
}

/** Runs one job of a new client. */
async function run(tool: string) {
  const { client, jobId } = await start(tool);
  const job = await ended(service.app, client.headers, jobId);
  const rows = await service.stores.ledger.list(client.accountId);
  return { job, ledger: rows.map(({ kind, delta }) => `${kind} ${delta}`) };
}

async function eventsOf({ job_id }: Job) {
  const { events } = await service.temporal.workflow.getHandle(`job:${job_id}`).fetchHistory();
  return events ?? [];
}

async function callsShownFor({ job_id }: Job): Promise<unknown> {
  await using deps = openDeps(() => service.config);
  const { out } = await runWith(deps, ['job', 'show', job_id, '--json']);
  return JSON.parse(out).generator_calls;
}

const CHARGED = ['grant 50', 'charge -1'];
const REFUNDED = [...CHARGED, 'refund 1'];

describe('the next generator', () => {
  test('renders under the same charge when the first one is down', { timeout: 60_000 }, async () => {
    upstreams.of('bfl').replies.submit = { status: 503, json: { detail: WORDS } };
    const { job, ledger } = await run(BFL_OR_GEMINI);

    expect([job.status, ledger]).toEqual(['completed', CHARGED]);
    expect(upstreams.submissions()).toMatchObject({ bfl: 3, gemini: 1 });
    expect(await callsShownFor(job)).toMatchObject([
      { generator: 'bfl', outcome: 'unavailable', may_be_charged: false, earlier_failures: 2 },
      { generator: 'gemini', outcome: 'completed' },
    ]);
  });

  test.each([
    ['refuses its key', 401],
    ['has no money left', 402],
    ['does not know the model', 404],
  ])('renders at once when the first one %s, and the log has an error', async (_, status) => {
    log.text = '';
    upstreams.of('bfl').replies.submit = { status, json: { detail: WORDS } };
    const { job, ledger } = await run(BFL_OR_GEMINI);

    expect([job.status, ledger]).toEqual(['completed', CHARGED]);
    expect(upstreams.submissions()).toMatchObject({ bfl: 1, gemini: 1 });
    // The SDK passes its entries on after a moment.
    const line = await vi.waitFor(async () => {
      const [found] = log.text.split('\n').filter((each) => each.includes('A generator is misconfigured.'));
      if (found === undefined) throw new Error('the log does not have the error');
      return found;
    }, 60_000);
    expect(JSON.parse(line)).toMatchObject({ level: 50, generator: 'bfl' });
    expect(line).toContain(WORDS);
  });
});

describe('a refusal', () => {
  const refusal = { message: WORDS, type: 'image_generation_user_error', code: 'moderation_blocked' };

  test('fails and refunds the job, in words of ours for the client and of the upstream in Temporal', async () => {
    upstreams.of('openai').replies.submit = { status: 400, json: { error: refusal } };
    const { job, ledger } = await run(OPENAI_OR_GEMINI);

    expect(ledger).toEqual(REFUNDED);
    expect(job).toMatchObject({
      status: 'failed',
      error:
        'The image model refused the image or the options as unsafe. Change them and retry. The charge was refunded.',
    });
    expect(JSON.stringify(job)).not.toContain(WORDS);
    const failures = (await eventsOf(job)).flatMap(
      ({ activityTaskFailedEventAttributes: failed }) => failed?.failure?.message ?? [],
    );
    expect(failures).toEqual([expect.stringContaining(WORDS)]);
    expect(upstreams.submissions()).toMatchObject({ openai: 1, gemini: 0 });
  });

  test('is shown to the operator, with what may have been charged', async () => {
    upstreams.of('openai').replies.submit = { status: 400, json: { error: refusal } };
    const { job } = await run(OPENAI);

    expect(await callsShownFor(job)).toMatchObject([
      { outcome: 'refused', may_be_charged: true, error: expect.stringContaining(WORDS) },
    ]);
  });
});

describe('a render', () => {
  const flux = 'black-forest-labs/flux-2-pro';

  test.each([
    { generator: 'gemini', tool: 'empty-your-space', model: 'gemini-nano-banana-2.1', costUsd: 1680 * 30e-6 },
    {
      generator: 'openai',
      tool: OPENAI,
      model: 'gpt-image-2.6-sunburst',
      costUsd: 100 * 5e-6 + 1400 * 8e-6 + 2100 * 30e-6,
    },
    { generator: 'bfl', tool: BFL_OR_GEMINI, model: 'flux-2-pro', id: 't1', costUsd: 4.5 * 0.01 },
    { generator: 'replicate', tool: 'day-to-dusk', model: flux, id: 'p1' },
    { generator: 'fal', tool: FAL, model: 'fal-ai/flux-2-pro/edit', id: 'q1' },
    { generator: 'comfyui', tool: 'roof-replacement', model: 'graph', id: 'that of the job', costUsd: 0 },
  ])(
    'by $generator names model, id, seconds and cost to the operator and in Temporal',
    async ({ generator, tool, model, id = null, costUsd = null }) => {
      const { job, ledger } = await run(tool);
      const upstreamId = generator === 'comfyui' ? job.job_id : id;
      const named = { generator, model, outcome: 'completed', seconds: expect.any(Number) };

      expect([job.status, ledger]).toEqual(['completed', CHARGED]);
      expect(upstreams.submissions()).toMatchObject({ [generator]: 1 });
      expect(await callsShownFor(job)).toMatchObject([
        { ...named, upstream_id: upstreamId, cost_usd: costUsd },
      ]);
      const [report] = (await eventsOf(job)).flatMap(
        ({ activityTaskCompletedEventAttributes: completed }) => completed?.result?.payloads ?? [],
      );
      expect(JSON.parse(Buffer.from(report?.data ?? '').toString())).toMatchObject({
        calls: [{ ...named, upstreamId, costUsd }],
      });
    },
  );
});

describe('a job that waits for its turn at an upstream', () => {
  test('has made no call that may be charged, and can be cancelled', async () => {
    const fal = upstreams.of('fal');
    fal.hold();
    const first = await start(FAL);
    await vi.waitFor(async () => expect(fal.submissions()).toBe(1), 60_000);
    const second = await start(FAL);
    const waiting = service.temporal.workflow.getHandle(`job:${second.jobId}`);
    await vi.waitFor(async () => {
      // A renderer sends its first heartbeat when a render takes longer than all that comes before the call.
      const { pendingActivities } = (await waiting.describe()).raw;
      expect(pendingActivities?.[0]?.lastHeartbeatTime).toBeTruthy();
    }, 60_000);
    expect(await service.stores.generatorCalls.list(second.jobId)).toEqual([]);

    await waiting.cancel();
    const cancelled = await ended(service.app, second.client.headers, second.jobId);
    expect(cancelled.error).toBe('The job was cancelled. The charge was refunded.');
    fal.release();
    expect((await ended(service.app, first.client.headers, first.jobId)).status).toBe('completed');
    expect(fal.submissions()).toBe(1);
  });
});
