import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Job } from '../../lib/contract/schemas.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { sampleImage } from '../setup/images.ts';
import type { Service } from '../setup/service.ts';
import { openWithUpstreams } from '../setup/upstream-service.ts';
import type { Upstreams } from '../setup/upstreams.ts';
import { terminateWorkflows } from '../setup/workflows.ts';

const [FAL, PREVIEW] = ['declutter', 'image-enhancement'];
const HANGING = 100;
/** Three quarters of the places. */
const SHARE_OF_PLACES = 3;

const open = closers();
let upstreams: Upstreams;
let service: Service;
let image_base64: string;

beforeAll(async () => {
  const orders = { GENERATORS: 'preview', GENERATORS_FOR_REMOVAL: 'fal' };
  const limits = { FAL_CONCURRENCY: '4', RENDER_SLOTS: '8' };
  ({ upstreams, service } = await openWithUpstreams(open, { ...orders, ...limits }));
  open.use(await service.startWorker());
  open.defer(() => upstreams.all((fake) => fake.release()));
  open.defer(() => terminateWorkflows(service));
  image_base64 = await sampleImage();
});
afterAll(() => open.close());

type Client = Awaited<ReturnType<Service['client']>>;

async function start({ headers }: Client, tool: string | undefined): Promise<string> {
  const created = await postJob(service.app, headers, { tool, image_base64 });
  expect(created.statusCode).toBe(201);
  return created.json<Job>().job_id;
}

test('an account with 100 jobs whose tasks hang leaves slots and places to others', async () => {
  const fal = upstreams.of('fal');
  fal.hold();
  const [hanging, other] = await Promise.all([service.client(HANGING), service.client()]);
  const jobIds = await Promise.all(Array.from({ length: HANGING }, () => start(hanging, FAL)));
  await vi.waitFor(async () => expect(fal.submissions()).toBe(SHARE_OF_PLACES), 60_000);
  await vi.waitFor(async () => {
    const descriptions = jobIds.map((id) => service.temporal.workflow.getHandle(`job:${id}`).describe());
    const messages = (await Promise.all(descriptions)).map(
      ({ raw }) => raw.pendingActivities?.[0]?.lastFailure?.message ?? '',
    );
    expect(messages.filter((message) => message.includes('waits for its turn')).length).toBeGreaterThan(80);
  }, 60_000);

  const predicted = await start(other, FAL);
  await vi.waitFor(async () => {
    const calls = await service.stores.generatorCalls.list(predicted);
    expect(calls).toMatchObject([{ task: { id: 'q1' }, outcome: null }]);
  }, 60_000);
  const rendered = await start(other, PREVIEW);
  expect((await ended(service.app, other.headers, rendered)).status).toBe('completed');
  expect(fal.submissions()).toBe(SHARE_OF_PLACES + 1);
});
