import { expect, test } from 'vitest';
import { openProbeServer } from '../../../lib/process/probe-server.ts';
import { createResources } from '../../../lib/process/resources.ts';
import { METRICS, type MetricDefinition } from '../../../lib/telemetry/metrics/definitions.ts';
import { gauge, NO_METRICS } from '../../../lib/telemetry/metrics/metrics.ts';
import { openMetrics } from '../../../lib/telemetry/metrics/open-metrics.ts';
import { createMetrics } from '../../../lib/telemetry/metrics/registry.ts';
import { valuesIn } from '../../setup/metrics.ts';

const all = Object.entries<MetricDefinition>(METRICS);
const logger = { info: () => {} };
const ANY_PORT = { host: '127.0.0.1', port: 0, variable: 'METRICS_PORT' } as const;

test.each(all)('%s is named by the conventions of Prometheus', (name, { type, help, buckets }) => {
  expect(name).toMatch(/^imagejob_[a-z0-9_]+$/);
  expect(name.endsWith('_total')).toBe(type === 'counter');
  if (type === 'histogram') expect(name).toMatch(/_(seconds|bytes)$/);
  expect(buckets !== undefined).toBe(type === 'histogram');
  expect(help).toMatch(/\.$/);
});

test('a page has the metrics of its process, with what was counted', async () => {
  const metrics = createMetrics('renderer', { cacheMs: 0 });
  metrics.add('imagejob_upstream_cost_usd_total', { generator: 'bfl' }, 0.04);
  metrics.add('imagejob_upstream_cost_usd_total', { generator: 'bfl' }, 0.02);
  metrics.observe('imagejob_render_seconds', { generator: 'bfl' }, 3);
  metrics.add('imagejob_images_charged_total', {});
  const page = await metrics.page();
  expect(valuesIn(page, 'imagejob_upstream_cost_usd_total')).toEqual({ '{generator="bfl"}': 0.06 });
  expect(valuesIn(page, 'imagejob_render_seconds_count')).toEqual({ '{generator="bfl"}': 1 });
  const names = [...page.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  expect(names).toEqual(all.filter(([, { of }]) => of.includes('renderer')).map(([name]) => name));
});

test('a gauge that cannot be read is left out, and says nothing old', async () => {
  const metrics = createMetrics('worker', { cacheMs: 0 });
  let works = true;
  metrics.sample(async () => {
    if (!works) throw new Error('Temporal is away.');
    return [gauge('imagejob_queue_age_seconds', { queue: 'images' }, 7)];
  });
  metrics.sample(() => [gauge('imagejob_removals_pending', {}, 5)]);
  expect(valuesIn(await metrics.page(), 'imagejob_queue_age_seconds')).toEqual({ '{queue="images"}': 7 });
  works = false;
  const page = await metrics.page();
  expect(valuesIn(page, 'imagejob_queue_age_seconds')).toEqual({});
  expect(valuesIn(page, 'imagejob_removals_pending')).toEqual({ '{}': 5 });
});

test('scrapes at the same time read the gauges once', async () => {
  const metrics = createMetrics('worker');
  let reads = 0;
  metrics.sample(async () => [gauge('imagejob_removals_pending', {}, ++reads)]);
  const pages = await Promise.all(Array.from({ length: 50 }, metrics.page));
  expect([new Set(pages).size, reads]).toEqual([1, 1]);
});

test('without METRICS_PORT nothing is measured or served', async () => {
  await using resources = createResources();
  const options = { name: 'api', logger, keep: resources.use } as const;
  expect(await openMetrics(probes(undefined), options)).toBe(NO_METRICS);
});

test('the page of a process has those of Node and of another page, and does without the latter', async () => {
  const text = async () => ({ status: 200, type: 'text/plain', body: 'temporal_long_request_total 3\n' });
  const sdk = await openProbeServer(ANY_PORT, { '/metrics': text });
  const urls: string[] = [];
  await using resources = createResources();
  await openMetrics(probes(0), {
    name: 'worker',
    otherPage: `${sdk.origin}/metrics`,
    logger: { info: ({ url }: { url: string }) => void urls.push(url) },
    keep: resources.use,
  });
  const read = async () => (await fetch(urls[0] ?? '')).text();
  const page = await read();
  expect(valuesIn(page, 'temporal_long_request_total')).toEqual({ '{}': 3 });
  expect(valuesIn(page, 'imagejob_images_charged_total')).toEqual({ '{}': 0 });
  expect(valuesIn(page, 'process_resident_memory_bytes')['{}']).toBeGreaterThan(1e6);
  await sdk[Symbol.asyncDispose]();
  expect(valuesIn(await read(), 'imagejob_images_charged_total')).toEqual({ '{}': 0 });
});

const probes = (metricsPort: number | undefined) => ({
  host: '127.0.0.1',
  healthPort: undefined,
  metricsPort,
});
