import { expect, test } from 'vitest';
import { createRateLimits } from '../../api/http/rate-limit.ts';
import type { ApiOverrides } from '../../api/open-api.ts';
import { startFakeApi } from '../contract/fake-api.ts';
import { createFakeImageStore } from '../fakes/images.ts';
import { sampleJpeg } from '../setup/images.ts';

const image = await sampleJpeg();

async function open(overrides: ApiOverrides = {}) {
  const api = await startFakeApi(image, overrides);
  return {
    ...api,
    get: async (url: string) => {
      const response = await api.app.inject({ url });
      return [response.statusCode, response.json()];
    },
  };
}

test('an API is alive and ready without a key, outside of /api', async () => {
  await using api = await open();
  expect(await api.get('/healthz')).toEqual([200, { status: 'ok' }]);
  const dependencies = { mongodb: 'ok', s3: 'ok', temporal: 'ok' };
  expect(await api.get('/readyz')).toEqual([200, { status: 'ready', dependencies }]);
  expect((await api.app.inject({ url: '/api/healthz' })).statusCode).toBe(404);
  expect((await api.app.inject({ url: '/readyz', method: 'HEAD' })).statusCode).toBe(200);
  expect((await api.app.inject({ url: '/readyz', method: 'POST' })).statusCode).toBe(405);
});

test('the switch does not apply to probes', async () => {
  const apiSwitch = { enabled: () => false, [Symbol.asyncDispose]: async () => {} };
  await using api = await open({ apiSwitch });
  expect((await api.app.inject('/api/v1/tools')).json().error.code).toBe('api_disabled');
  expect((await api.get('/readyz'))[0]).toBe(200);
  expect((await api.get('/healthz'))[0]).toBe(200);
});

test('rate limits do not apply to probes', async () => {
  await using api = await open({ rateLimits: createRateLimits({ prefix: '/api/v1' }) });
  while ((await api.app.inject('/api/v1/jobs')).statusCode !== 429);
  expect((await api.get('/readyz'))[0]).toBe(200);
  expect((await api.get('/healthz'))[0]).toBe(200);
});

test('an API without its image store is alive, but not ready', async () => {
  const images = { ...createFakeImageStore(), check: () => Promise.reject(new Error('ECONNREFUSED')) };
  await using api = await open({ images });
  const dependencies = { mongodb: 'ok', s3: 'away', temporal: 'ok' };
  expect(await api.get('/readyz')).toEqual([503, { status: 'away', dependencies }]);
  expect((await api.get('/healthz'))[0]).toBe(200);
});

test('a caller who asks a thousand times has each dependency checked once', async () => {
  let checks = 0;
  const check = async () => {
    checks += 1;
  };
  const images = { ...createFakeImageStore(), check };
  await using api = await open({ images });
  const answers = await Promise.all(Array.from({ length: 1000 }, () => api.get('/readyz')));
  expect(new Set(answers.map(([status]) => status))).toEqual(new Set([200]));
  expect(checks).toBe(1);
});

test('an API that drains is alive, and not ready', async () => {
  await using api = await open();
  api.deps.readiness.drain();
  expect(await api.get('/readyz')).toEqual([503, expect.objectContaining({ status: 'draining' })]);
  expect((await api.get('/healthz'))[0]).toBe(200);
});
