import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRateLimits } from '../../api/http/rate-limit.ts';
import { RATE_LIMITS } from '../../lib/contract/limits.ts';
import { loadConfig } from '../../lib/process/config/config.ts';
import { createTracing } from '../../lib/telemetry/tracing/create-tracing.ts';
import type { Tracing } from '../../lib/telemetry/tracing/tracing.ts';
import { startFakeApi } from '../contract/fake-api.ts';
import { dial, exchange, listen } from '../contract/wire.ts';
import { type Collector, startCollector } from '../setup/collector.ts';
import { keptLog } from '../setup/kept-log.ts';
import { recordMetrics } from '../setup/metrics.ts';
import { REQUIRED } from '../setup/required.ts';

const LIMIT = RATE_LIMITS['ip-other'];
const GET = 'GET /api/docs HTTP/1.1\r\nHost: x\r\n\r\n';

let log: ReturnType<typeof keptLog>;
let collector: Collector;
let tracing: Tracing;
let api: Awaited<ReturnType<typeof startFakeApi>>;
let port: number;
let now: number;
let enabled: boolean;
let recorded: ReturnType<typeof recordMetrics>;

beforeEach(async () => {
  log = keptLog();
  recorded = recordMetrics();
  [now, enabled] = [1000, true];
  collector = await startCollector();
  const config = loadConfig({ ...REQUIRED, ...collector.env }).tracing;
  if (config === null) throw new Error('no traces are configured');
  tracing = createTracing(config, 'api', pino({}, log));
  api = await startFakeApi(Buffer.alloc(0), {
    tracing,
    metrics: recorded.metrics,
    logger: pino({}, log),
    rateLimits: createRateLimits({ prefix: '/api/v1', now: () => now }),
    apiSwitch: { enabled: () => enabled, [Symbol.asyncDispose]: async () => {} },
  });
  port = await listen(api.app);
});
afterEach(async () => {
  await api[Symbol.asyncDispose]();
  await tracing[Symbol.asyncDispose]();
  await collector[Symbol.asyncDispose]();
});

const exhaust = async (url: string) => {
  for (let n = 0; n < LIMIT; n++) await api.app.inject(url);
};
const lines = (message: string) =>
  log.text
    .split('\n')
    .filter((line) => line.includes(`"msg":"${message}"`))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const rejections = () => lines('request rejected').filter(({ code }) => code === 'rate_limited');

describe('an address over its limit', () => {
  test('gets one 429 for everything that it has pipelined on a connection', async () => {
    await exhaust('/api/docs');
    const wire = await dial(port);
    const response = await wire.response(GET.repeat(2000));
    expect([response.statusCode, response.headers.connection]).toEqual([429, 'close']);
    expect(wire.received().match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  test('gets its 429 for a request with a body, however small', async () => {
    await exhaust('/api/docs');
    const wire = await dial(port, 'POST /nothing HTTP/1.1', 'Host: x', 'Content-Length: 10', '');
    await expect.poll(wire.received).toContain('HTTP/1.1 429');
    // Closing now would reset the connection under a client that is still sending.
    expect([wire.socket.readableEnded, wire.socket.destroyed]).toEqual([false, false]);
    expect((await wire.response('0123456789')).headers.connection).toBe('close');
  });

  test('is logged once in a window, with the number of rejections since then, and counted each time', async () => {
    await exhaust('/nothing');
    for (let n = 0; n < 20; n++) await api.app.inject('/nothing');
    expect(rejections()).toHaveLength(1);
    expect(lines('request completed').filter(({ status }) => status === 429)).toHaveLength(1);
    expect(await recorded.values('imagejob_rate_limited_total')).toMatchObject({ '{limit="ip-other"}': 20 });
    now += RATE_LIMITS.windowMs;
    await exhaust('/nothing');
    await api.app.inject('/nothing');
    expect(rejections().map(({ unloggedBefore }) => unloggedBefore)).toEqual([undefined, 19]);
  });

  test('has no spans, and nor has an unknown route', async () => {
    await exhaust('/nothing');
    await api.app.inject('/api/docs');
    await api.app.inject({ url: '/api/v1/account', headers: api.headers });
    await tracing[Symbol.asyncDispose]();
    expect(collector.spans.map(({ name }) => name)).toEqual(['GET /api/v1/account']);
  });

  test('is disconnected and not logged further while the API is switched off, too', async () => {
    enabled = false;
    for (let n = 0; n < LIMIT + 20; n++) await api.app.inject('/nothing');
    expect(lines('request rejected')).toHaveLength(LIMIT + 1);
    const refused = await exchange(port, 'GET /nothing HTTP/1.1', 'Host: x', '');
    expect([refused.statusCode, refused.headers.connection]).toEqual([404, 'close']);
    expect(JSON.parse(refused.body).error.code).toBe('api_disabled');
  });
});

test('a probe is answered whatever its address has sent', async () => {
  await exhaust('/nothing');
  const response = await exchange(port, 'GET /healthz HTTP/1.1', 'Host: x', 'Connection: close', '');
  expect(response.statusCode).toBe(200);
});
