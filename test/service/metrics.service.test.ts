import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { GeneratorError } from '../../lib/generators/errors.ts';
import { METRICS } from '../../lib/telemetry/metrics/definitions.ts';
import type { MetricName } from '../../lib/telemetry/metrics/metrics.ts';
import { ended, postJob } from '../setup/client.ts';
import { blockedRender, invert, scriptedGenerators } from '../setup/generators.ts';
import { sampleImage } from '../setup/images.ts';
import { recordMetrics } from '../setup/metrics.ts';
import { type Service, startService } from '../setup/service.ts';

const held = blockedRender();
const generators = scriptedGenerators({
  declutter: async () => {
    const failure = { kind: 'refused', reason: 'safety' } as const;
    throw new GeneratorError(failure, 'The model refused this image.', { costUsd: 0.01 });
  },
  'lawn-enhancement': async (request) => ({ ...(await invert(request)), costUsd: 0.04 }),
  pool: held.render,
});

const { metrics, values } = recordMetrics();
let service: Service;
let worker: AsyncDisposable | undefined;
let image_base64: string;

beforeAll(async () => {
  // One render at a time, so that the next one waits in its queue.
  service = await startService({ env: { RENDER_SLOTS: '1' }, api: { metrics } });
  worker = await service.startWorker({ generators });
  image_base64 = await sampleImage();
});
afterAll(async () => {
  held.release();
  await worker?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

async function start(tool: string, options = {}) {
  const { headers } = await service.client();
  const created = await postJob(service.app, headers, { tool, image_base64, options });
  expect(created.statusCode).toBe(201);
  return async () => (await ended(service.app, headers, created.json().job_id)).status;
}

test('jobs are counted by tool, generator and end, with images and costs as the books have them', async () => {
  const ends = [await start('lawn-enhancement', { resolution: '4K' }), await start('declutter')];
  expect(await Promise.all(ends.map((end) => end()))).toEqual(['completed', 'failed']);
  expect(await values('imagejob_jobs_total')).toEqual({
    '{tool="lawn-enhancement",generator="scripted",end="completed"}': 1,
    '{tool="declutter",generator="scripted",end="failed"}': 1,
  });
  expect(await values('imagejob_images_charged_total')).toEqual({ '{}': 3 });
  expect(await values('imagejob_images_refunded_total')).toEqual({ '{cause="failed"}': 1 });
  expect(await values('imagejob_upstream_cost_usd_total')).toEqual({ '{generator="scripted"}': 0.05 });
  expect(await values('imagejob_upstream_seconds_count')).toEqual({
    '{generator="scripted",outcome="completed"}': 1,
    '{generator="scripted",outcome="refused"}': 1,
  });
  expect(await values('imagejob_upstream_calls_total')).toEqual({
    '{generator="scripted",outcome="completed"}': 1,
    '{generator="scripted",outcome="misconfigured"}': 0,
    '{generator="scripted",outcome="refused"}': 1,
  });
});

test('a job that waits for a renderer shows in the age of the queue, and a busy upstream in its calls', async () => {
  const first = await start('pool');
  await vi.waitFor(async () => {
    expect(await values('imagejob_upstream_calls_in_progress')).toEqual({ '{generator="scripted"}': 1 });
  }, 60_000);
  const second = await start('lawn-enhancement');
  await vi.waitFor(async () => {
    const age = await values('imagejob_queue_age_seconds');
    expect(age['{queue="images"}']).toBeGreaterThan(0.5);
    expect(Object.keys(age)).toEqual(['{queue="jobs"}', '{queue="images"}', '{queue="webhooks"}']);
  }, 60_000);
  expect((await values('imagejob_queue_tasks'))['{queue="images"}']).toBe(1);
  held.release();
  expect(await Promise.all([first(), second()])).toEqual(['completed', 'completed']);
  await vi.waitFor(async () => {
    expect((await values('imagejob_queue_age_seconds'))['{queue="images"}']).toBe(0);
  }, 60_000);
});

test('a scrape of all processes has a value for every gauge', async () => {
  const gauges = Object.entries(METRICS).filter(([, { type }]) => type === 'gauge');
  for (const [name] of gauges) expect(Object.keys(await values(name as MetricName)), name).not.toEqual([]);
});
