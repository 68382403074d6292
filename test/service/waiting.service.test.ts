import { once } from 'node:events';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import '../setup/context.ts';
import { environment } from '../../lib/process/config/config.ts';
import { dial } from '../contract/wire.ts';
import { closers } from '../setup/closers.ts';
import { blockedRender, scriptedGenerators } from '../setup/generators.ts';
import { sampleImage } from '../setup/images.ts';
import { draftOf } from '../setup/records.ts';
import { type Service, startService } from '../setup/service.ts';
import { startServiceProcess } from '../setup/service-process.ts';

const open = closers();
const held = blockedRender();
let service: Service;
let body: object;

beforeAll(async () => {
  service = open.use(await startService());
  open.use(await service.startWorker({ generators: scriptedGenerators({ pool: held.render }) }));
  body = { tool: 'pool', image_base64: await sampleImage() };
});
afterAll(() => open.close());

const waiting = () => service.deps.waiters.counts;

test('a job that a worker completes is returned by the POST that waits for it, and sent to a stream', async () => {
  const { accountId, headers } = await service.client();
  const post = service.app.inject({
    method: 'POST',
    url: '/api/v1/jobs',
    headers: { ...headers, prefer: 'wait=60' },
    payload: body,
  });
  await expect.poll(waiting).toMatchObject({ prefer: 1 });
  const [accepted] = await service.stores.jobs.list(accountId, 1);
  const url = `/api/v1/jobs/${accepted?.id}`;
  const stream = service.app.inject({ url: `${url}/events`, headers });
  await expect.poll(waiting).toMatchObject({ prefer: 1, events: 1 });
  held.release();
  const { warnings, ...job } = (await post).json();
  expect([job.status, job.result_urls.length, warnings]).toEqual(['completed', 1, []]);
  expect((await service.app.inject({ url, headers })).json()).toEqual(job);
  expect((await stream).body).toContain(`id: completed\nevent: status\ndata: ${JSON.stringify(job)}\n\n`);
});

/** The environment of a process beside the service of this file. */
const processEnv = () => ({
  ...environment(),
  ...inject('env'),
  API_PORT: '0',
  LOG_LEVEL: 'info',
  MONGODB_DATABASE: service.config.mongo.database,
});

test('an API process answers those who wait when it gets SIGTERM, and ends without error', async () => {
  const { headers, ...owner } = await service.client();
  const draft = draftOf(owner);
  await service.stores.jobs.accept(draft);
  const { child, found } = await startServiceProcess('api/main.ts', processEnv(), /(http:[^"]+)/);
  const path = `/api/v1/jobs/${draft.jobId}`;
  const head = ['Host: api', `X-Api-Key: ${headers['x-api-key']}`];
  const first = ['GET /api/v1/account HTTP/1.1', ...head, ''];
  const second = [`GET ${path} HTTP/1.1`, ...head, 'Prefer: wait=60', 'Connection: close', ''];
  const wire = await dial(Number(new URL(found).port), ...first, ...second);
  const stream = await fetch(`${found}${path}/events`, { headers });
  // Requests of one connection are handled in turn: the second one is in the process.
  await expect.poll(wire.received).toContain('"image_credits"');
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(JSON.parse((await wire.response()).body)).toMatchObject({ status: 'processing' });
  expect(await stream.text()).toMatch(/id: processing\n.*: Connect again\.\n\n$/s);
});
