import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadConfig } from '../../../lib/process/config/config.ts';
import { createTracing } from '../../../lib/telemetry/tracing/create-tracing.ts';
import { openTracing } from '../../../lib/telemetry/tracing/open-tracing.ts';
import type { Tracing } from '../../../lib/telemetry/tracing/tracing.ts';
import { type Collector, startCollector } from '../../setup/collector.ts';
import { keptLog } from '../../setup/kept-log.ts';
import { REQUIRED } from '../../setup/required.ts';
import { type Served, serveHttp } from '../egress/servers.ts';

const log = keptLog();
const logger = pino({}, log);
beforeEach(() => {
  log.text = '';
});

function tracingTo(origin: string, env: Record<string, string> = {}): Tracing {
  const config = loadConfig({ ...REQUIRED, OTEL_EXPORTER_OTLP_ENDPOINT: origin, ...env }).tracing;
  if (config === null) throw new Error('no traces are configured');
  return createTracing(config, 'api', logger);
}

test('nothing is opened where no collector is configured', async () => {
  const { tracing } = loadConfig(REQUIRED);
  const keep = () => expect.fail('something was opened');
  expect(await openTracing(tracing, { name: 'api', logger, keep })).toBeUndefined();
});

describe('a collector', () => {
  let collector: Collector;
  beforeEach(async () => {
    collector = await startCollector();
  });
  afterEach(() => collector[Symbol.asyncDispose]());

  test('gets the last spans of a process that stops, with the configured path, name and headers', async () => {
    const tracing = tracingTo(`${collector.origin}/otlp/`, {
      OTEL_EXPORTER_OTLP_HEADERS: 'X-Key = a%20b%2Cc , x-tenant=1',
      OTEL_SERVICE_NAME: 'photos',
    });
    tracing.tracer.startSpan('last').end();
    await tracing[Symbol.asyncDispose]();
    const [request] = collector.requests;
    expect(request?.path).toBe('/otlp/v1/traces');
    expect(request?.headers).toMatchObject({ 'x-key': 'a b,c', 'x-tenant': '1' });
    expect(collector.spans).toMatchObject([{ name: 'last', service: 'photos' }]);
  });

  test('gets nothing for a ratio of 0', async () => {
    const tracing = tracingTo(collector.origin, { OTEL_TRACES_SAMPLER_ARG: '0' });
    tracing.tracer.startSpan('a').end();
    await tracing[Symbol.asyncDispose]();
    expect(collector.requests).toEqual([]);
  });

  test('gets what is configured, whatever variables the SDK would read itself', async () => {
    vi.stubEnv('OTEL_TRACES_SAMPLER', 'always_off');
    vi.stubEnv('OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT', '0');
    vi.stubEnv('OTEL_BSP_MAX_QUEUE_SIZE', '0');
    vi.stubEnv('OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'x-other=1');
    const tracing = tracingTo(collector.origin);
    vi.unstubAllEnvs();
    tracing.tracer.startSpan('a', { attributes: { 'imagejob.job_id': 'j1' } }).end();
    await tracing[Symbol.asyncDispose]();
    expect(collector.spans).toMatchObject([{ attributes: { 'imagejob.job_id': 'j1' } }]);
    expect(collector.requests[0]?.headers).not.toHaveProperty('x-other');
  });
});

describe('a process stops', () => {
  let silent: Served;
  let asked = 0;
  beforeEach(async () => {
    asked = 0;
    silent = await serveHttp(() => {
      asked += 1;
    });
  });
  afterEach(() => silent[Symbol.asyncDispose]());

  test('while its collector hangs: the request is given up', async () => {
    const tracing = tracingTo(silent.origin);
    tracing.tracer.startSpan('a').end();
    await tracing[Symbol.asyncDispose]();
    expect(asked).toBe(1);
    await expect.poll(() => silent.open()).toBe(0);
  });

  test('while its collector is away: spans are dropped, and the log says so once', async () => {
    await silent[Symbol.asyncDispose]();
    const tracing = tracingTo(silent.origin);
    for (let n = 0; n < 600; n += 1) tracing.tracer.startSpan('a').end();
    await tracing[Symbol.asyncDispose]();
    const lines = log.text.trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 40,
      reasons: ['EgressError connect', expect.anything()],
    });
  });
});

test('spans that a collector does not take in time are dropped beyond a limit', async () => {
  let sent = '';
  await using slow = await serveHttp((request) =>
    request.on('data', (chunk) => {
      sent += chunk;
    }),
  );
  const tracing = tracingTo(slow.origin);
  for (let n = 0; n < 20_000; n += 1) tracing.tracer.startSpan('a').end();
  await tracing[Symbol.asyncDispose]();
  const spans = sent.split('"spanId"').length - 1;
  expect(spans).toBeGreaterThan(0);
  expect(spans).toBeLessThan(5000);
});
