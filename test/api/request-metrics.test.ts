import { expect, test } from 'vitest';
import { createRateLimits } from '../../api/http/rate-limit.ts';
import type { ApiOverrides } from '../../api/open-api.ts';
import { startFakeApi } from '../contract/fake-api.ts';
import { createFakeImageStore } from '../fakes/images.ts';
import { sampleJpeg } from '../setup/images.ts';
import { recordMetrics } from '../setup/metrics.ts';

const image = await sampleJpeg();

async function open(overrides: ApiOverrides = {}) {
  const { metrics, values } = recordMetrics();
  const api = await startFakeApi(image, { metrics, ...overrides });
  return { ...api, values };
}

test('requests are counted by route template; what a caller makes up makes no series', async () => {
  await using api = await open();
  const ids = ['f2a0c3b0-0000-4000-8000-000000000001', 'f2a0c3b0-0000-4000-8000-000000000002', '%00'];
  for (const id of ids) await api.app.inject({ url: `/api/v1/jobs/${id}`, headers: api.headers });
  for (const path of ['/wp-admin', '/api/v1/secret', '/api/v2/jobs']) await api.app.inject({ url: path });
  await api.app.inject({ method: 'PATCH', url: '/api/v1/tools' });
  await Promise.all([api.app.inject('/healthz'), api.app.inject('/readyz')]);
  expect(await api.values('imagejob_http_requests_total')).toEqual({
    '{method="GET",route="/api/v1/jobs/:id",status="404"}': 3,
    '{method="GET",route="unknown",status="404"}': 3,
    '{method="other",route="/api/v1/tools",status="405"}': 1,
  });
  expect(await api.values('imagejob_http_request_seconds_count')).toEqual({
    '{route="/api/v1/jobs/:id"}': 3,
    '{route="unknown"}': 3,
    '{route="/api/v1/tools"}': 1,
  });
});

test('acceptances are timed by their outcome', async () => {
  await using api = await open();
  const payload = { tool: 'pool-removal', image_base64: image.toString('base64') };
  const post = () => api.app.inject({ method: 'POST', url: '/api/v1/jobs', headers: api.headers, payload });
  for (let n = 0; n < 3; n += 1) expect((await post()).statusCode).toBe(201);
  expect(await api.values('imagejob_acceptance_seconds_count')).toEqual({ '{outcome="accepted"}': 3 });
});

test('a scrape says which dependencies can be used, and how many requests wait', async () => {
  const images = { ...createFakeImageStore(), check: () => Promise.reject(new Error('ECONNREFUSED')) };
  await using api = await open({ images });
  const { limits } = api.deps;
  const held = await limits.bytesOf('a').acquire('key', Number.MAX_SAFE_INTEGER, AbortSignal.timeout(60_000));
  const waiting = limits.bytesOf('a').acquire('key', 1, AbortSignal.timeout(60_000));
  expect(await api.values('imagejob_dependency_up')).toEqual({
    '{dependency="mongodb"}': 1,
    '{dependency="s3"}': 0,
    '{dependency="temporal"}': 1,
  });
  expect(await api.values('imagejob_waiting_requests')).toMatchObject({
    '{budget="account_bytes"}': 1,
    '{budget="bytes"}': 0,
  });
  held.release();
  (await waiting).release();
});

test('refused requests are counted by the limit they exceed', async () => {
  await using api = await open({ rateLimits: createRateLimits({ prefix: '/api/v1' }) });
  const refused = async (url: string, headers = {}) => {
    while ((await api.app.inject({ url, headers })).statusCode !== 429);
  };
  await refused('/api/v1/tools', api.headers);
  await refused('/api/v1/jobs');
  expect(await api.values('imagejob_rate_limited_total')).toEqual({
    '{limit="read-account"}': 1,
    '{limit="ip"}': 1,
  });
});
