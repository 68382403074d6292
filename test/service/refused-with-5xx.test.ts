import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildApp } from '../../api/app.ts';
import { createVoids } from '../../api/creation/voids.ts';
import type { ApiDeps } from '../../api/deps.ts';
import type { JobGateway } from '../../api/job-gateway.ts';
import type { TypedApp } from '../../api/operation.ts';
import type { JobStore } from '../../stores/ports.ts';
import { postJob, samplePicture } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { eventually } from '../setup/eventually.ts';
import { scriptedGenerator } from '../setup/generators.ts';
import { type Service, startService } from '../setup/service.ts';

const open = closers();
let service: Service;
let image_base64: string;
let worker: AsyncDisposable | undefined;

beforeAll(async () => {
  service = open.use(await startService());
  image_base64 = await samplePicture();
});
afterAll(async () => {
  await worker?.[Symbol.asyncDispose]();
  await open.close();
});

const startWorker = async () => {
  worker ??= await service.startWorker({ generator: scriptedGenerator({}) });
};

/** An API whose parts fail as told. */
async function apiWith(parts: Partial<ApiDeps>): Promise<TypedApp> {
  const app = open.use(buildApp({ ...service.deps, ...parts }));
  await app.ready();
  return app;
}

/** Passes the request on to Temporal and loses its answer, as for a status that the SDK does not retry. */
function losingAnswers(when: 'at once' | 'afterwards'): JobGateway {
  const { jobs } = service.deps;
  return {
    ...jobs,
    async accept(request, withinMs) {
      const accepting = jobs.accept(request, withinMs);
      if (when === 'afterwards') await accepting;
      else await untilStarted(request.draft.workflowId);
      return { outcome: 'unknown', cause: new Error('1 CANCELLED') };
    },
  };
}

const untilStarted = (workflowId: string) =>
  eventually(() => service.temporal.workflow.getHandle(workflowId).describe());

const withJobs = (changes: Partial<JobStore>): Partial<ApiDeps> => ({
  stores: { ...service.stores, jobs: { ...service.stores.jobs, ...changes } },
});

async function post(app: TypedApp, key: string) {
  const client = await service.client();
  const headers = { ...client.headers, 'idempotency-key': key };
  const answer = await postJob(app, headers, { tool: 'declutter', image_base64 });
  return { client, headers, answer };
}

/** Looked at before anything is posted again. */
async function expectNothingKept({ accountId, keyId }: { accountId: string; keyId: string }, key: string) {
  expect(await service.stores.jobs.list(accountId, 10)).toEqual([]);
  expect((await service.stores.accounts.get(accountId)).balance).toBe(50);
  expect(await service.stores.jobs.findByIdempotencyKey(keyId, key)).toBeUndefined();
  expect(await service.stores.ledger.audit(accountId)).toEqual([]);
}

describe('a POST whose acceptance nobody answered for', () => {
  test('is 500 and stays without a charge when the acceptance comes later', async () => {
    const key = randomUUID();
    const { client, headers, answer } = await post(await apiWith({ jobs: losingAnswers('at once') }), key);
    expect(answer.statusCode).toBe(500);
    expect(answer.json().error.message).toContain('Nothing was charged');
    await startWorker();
    await eventually(async () => {
      const [workflow] = await workflowsOf(client.accountId);
      expect(workflow?.status.name).toBe('FAILED');
    });
    await expectNothingKept(client, key);
    const again = await postJob(service.app, headers, { tool: 'declutter', image_base64 });
    expect(again.statusCode).toBe(201);
  });

  test('is 201 when it was accepted all the same', async () => {
    await startWorker();
    const app = await apiWith({ jobs: losingAnswers('afterwards') });
    const { client, answer } = await post(app, randomUUID());
    expect(answer.statusCode).toBe(201);
    const [job, ...more] = await service.stores.jobs.list(client.accountId, 10);
    expect([job?.id, ...more]).toEqual([answer.json().job_id]);
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(49);
  });

  test('is undone once MongoDB can be asked, though the job was accepted and rendered meanwhile', async () => {
    await startWorker();
    let reachable = false;
    const fence = () => Promise.reject(new Error('MongoDB is away'));
    const voids = open.use(
      createVoids(
        { void: (jobId) => (reachable ? service.stores.jobs.void(jobId) : fence()) },
        service.deps.logger,
      ),
    );
    const app = await apiWith({ jobs: losingAnswers('afterwards'), voids, ...withJobs({ fence }) });
    const key = randomUUID();
    const { client, headers, answer } = await post(app, key);
    expect(answer.statusCode).toBe(500);
    expect(answer.json().error.message).not.toContain('Nothing was charged');
    await eventually(async () => {
      const [job] = await service.stores.jobs.list(client.accountId, 1);
      expect(job?.status).toBe('completed');
    });
    reachable = true;
    await eventually(() => expectNothingKept(client, key));
    // Temporal still has the key's workflow, as completed.
    const again = await postJob(service.app, headers, { tool: 'declutter', image_base64 });
    expect(again.statusCode).toBe(201);
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(49);
  });

  test('is 201 though MongoDB fails while the answer is looked for', async () => {
    await startWorker();
    const { jobs } = service.deps;
    let looked = 0;
    const app = await apiWith({
      jobs: {
        ...jobs,
        async accept(request, withinMs) {
          await jobs.accept(request, withinMs);
          return { outcome: 'closed' };
        },
      },
      ...withJobs({
        async findByIdempotencyKey(keyId, key) {
          looked += 1;
          if (looked === 2) throw new Error('MongoDB is away');
          return service.stores.jobs.findByIdempotencyKey(keyId, key);
        },
      }),
    });
    const { client, answer } = await post(app, randomUUID());
    expect(answer.statusCode).toBe(201);
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(49);
  });

  test('is kept when the client has asked again meanwhile and was answered with it', async () => {
    await startWorker();
    let reachable = false;
    const fence = () => Promise.reject(new Error('MongoDB is away'));
    const asked: boolean[] = [];
    const voids = open.use(
      createVoids(
        {
          async void(jobId) {
            if (!reachable) return fence();
            asked.push(await service.stores.jobs.void(jobId));
            return false;
          },
        },
        service.deps.logger,
      ),
    );
    const app = await apiWith({ jobs: losingAnswers('afterwards'), voids, ...withJobs({ fence }) });
    const { client, headers, answer } = await post(app, randomUUID());
    expect(answer.statusCode).toBe(500);
    const again = await postJob(service.app, headers, { tool: 'declutter', image_base64 });
    expect(again.statusCode).toBe(201);
    reachable = true;
    await eventually(async () => expect(asked).toEqual([false]));
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(49);
    expect(await service.stores.jobs.list(client.accountId, 10)).toHaveLength(1);
  });
});

async function workflowsOf(accountId: string) {
  const found = [];
  for await (const workflow of service.temporal.workflow.list({ query: `AccountId = '${accountId}'` }))
    found.push(workflow);
  return found;
}
