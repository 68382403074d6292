import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildApp } from '../../api/app.ts';
import type { ApiDeps } from '../../api/deps.ts';
import type { TypedApp } from '../../api/http/operation.ts';
import type { JobGateway } from '../../api/jobs/gateway.ts';
import { createVoids } from '../../api/jobs/voids.ts';
import { MAX_REQUESTS } from '../../lib/domain/job-requests.ts';
import type { JobStore } from '../../lib/stores/job-store.ts';
import { postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { eventually } from '../setup/eventually.ts';
import { scriptedGenerators } from '../setup/generators.ts';
import { sampleImage } from '../setup/images.ts';
import { type Service, startService } from '../setup/service.ts';

const open = closers();
let service: Service;
let image_base64: string;
let worker: AsyncDisposable | undefined;

const startWorker = async () => {
  worker ??= await service.startWorker({ generators: scriptedGenerators({}) });
};
const stopWorker = async () => {
  await worker?.[Symbol.asyncDispose]();
  worker = undefined;
};

beforeAll(async () => {
  service = open.use(await startService());
  image_base64 = await sampleImage();
});
afterAll(async () => {
  await stopWorker();
  await open.close();
});

/** An API with some deps replaced by failing ones. */
async function apiWith(deps: Partial<ApiDeps>): Promise<TypedApp> {
  const app = open.use(buildApp({ ...service.deps, ...deps }));
  await app.ready();
  return app;
}

/** Forwards the request to Temporal and loses the response, as with a gRPC status that the SDK does not retry. */
function losingResponses(when: 'at once' | 'afterwards'): JobGateway {
  const { jobGateway } = service.deps;
  return {
    ...jobGateway,
    async accept(request, withinMs) {
      const accepting = jobGateway.accept(request, withinMs);
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
  const response = await postJob(app, headers, { tool: 'declutter', image_base64 });
  return { client, headers, response };
}

/** Checked before the request is retried. */
async function expectNothingKept({ accountId, keyId }: { accountId: string; keyId: string }, key: string) {
  expect(await service.stores.jobs.list(accountId, 10)).toEqual([]);
  expect((await service.stores.accounts.get(accountId)).balance).toBe(50);
  expect(await service.stores.jobs.findByIdempotencyKey(keyId, key)).toBeUndefined();
  expect(await service.stores.ledger.audit(accountId)).toEqual([]);
}

describe('a POST whose acceptance has an unknown outcome', () => {
  test('is 500 and is not charged when the acceptance runs later', async () => {
    await stopWorker();
    const key = randomUUID();
    const { client, headers, response } = await post(
      await apiWith({ jobGateway: losingResponses('at once') }),
      key,
    );
    expect(response.statusCode).toBe(500);
    expect(response.json().error.message).toContain('Nothing was charged');
    await startWorker();
    await eventually(async () => {
      const [workflow] = await workflowsOf(client.accountId);
      expect(workflow?.status.name).toBe('FAILED');
    });
    await expectNothingKept(client, key);
    const retry = await postJob(service.app, headers, { tool: 'declutter', image_base64 });
    expect(retry.statusCode).toBe(201);
  });

  test('is 500 and is not charged when its call reaches Temporal days later', async () => {
    await startWorker();
    const { jobGateway } = service.deps;
    const days = 2 * 24 * 3600_000;
    const accept: JobGateway['accept'] = (request, withinMs) =>
      jobGateway.accept({ ...request, sentAt: request.sentAt - days }, withinMs);
    const key = randomUUID();
    const { client, headers, response } = await post(
      await apiWith({ jobGateway: { ...jobGateway, accept } }),
      key,
    );
    expect(response.statusCode).toBe(500);
    await expectNothingKept(client, key);
    const retry = await postJob(service.app, headers, { tool: 'declutter', image_base64 });
    expect(retry.statusCode).toBe(201);
  });

  test('is 201 when it was accepted', async () => {
    await startWorker();
    const app = await apiWith({ jobGateway: losingResponses('afterwards') });
    const { client, response } = await post(app, randomUUID());
    expect(response.statusCode).toBe(201);
    const jobs = await service.stores.jobs.list(client.accountId, 10);
    expect(jobs.map(({ id }) => id)).toEqual([response.json().job_id]);
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(49);
  });

  test('is voided once MongoDB is reachable, although the job was accepted and rendered meanwhile', async () => {
    await startWorker();
    let reachable = false;
    const fence = () => Promise.reject(new Error('MongoDB is down'));
    const voids = open.use(
      createVoids(
        { void: (...pair) => (reachable ? service.stores.jobs.void(...pair) : fence()) },
        service.deps.logger,
      ),
    );
    const app = await apiWith({ jobGateway: losingResponses('afterwards'), voids, ...withJobs({ fence }) });
    const key = randomUUID();
    const { client, headers, response } = await post(app, key);
    expect(response.statusCode).toBe(500);
    expect(response.json().error.message).not.toContain('Nothing was charged');
    await eventually(async () => {
      const [job] = await service.stores.jobs.list(client.accountId, 1);
      expect(job?.status).toBe('completed');
    });
    reachable = true;
    await eventually(() => expectNothingKept(client, key));
    // Temporal still has the key's workflow, as completed.
    const retry = await postJob(service.app, headers, { tool: 'declutter', image_base64 });
    expect(retry.statusCode).toBe(201);
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(49);
  });

  test('is 201 although MongoDB fails while the outcome is looked up', async () => {
    await startWorker();
    const { jobGateway } = service.deps;
    let lookUps = 0;
    const app = await apiWith({
      jobGateway: {
        ...jobGateway,
        async accept(request, withinMs) {
          await jobGateway.accept(request, withinMs);
          return { outcome: 'closed' };
        },
      },
      ...withJobs({
        async findByIdempotencyKey(keyId, key) {
          lookUps += 1;
          if (lookUps === 2) throw new Error('MongoDB is down');
          return service.stores.jobs.findByIdempotencyKey(keyId, key);
        },
      }),
    });
    const { client, response } = await post(app, randomUUID());
    expect(response.statusCode).toBe(201);
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(49);
  });

  test('keeps the job when a retry was answered 201 with it meanwhile', async () => {
    await startWorker();
    let reachable = false;
    const fence = () => Promise.reject(new Error('MongoDB is down'));
    const voided: boolean[] = [];
    const voids = open.use(
      createVoids(
        {
          async void(...pair) {
            if (!reachable) return fence();
            voided.push(await service.stores.jobs.void(...pair));
            return false;
          },
        },
        service.deps.logger,
      ),
    );
    const app = await apiWith({ jobGateway: losingResponses('afterwards'), voids, ...withJobs({ fence }) });
    const { client, headers, response } = await post(app, randomUUID());
    expect(response.statusCode).toBe(500);
    const retry = await postJob(service.app, headers, { tool: 'declutter', image_base64 });
    expect(retry.statusCode).toBe(201);
    reachable = true;
    await eventually(async () => expect(voided).toEqual([false]));
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(49);
    expect(await service.stores.jobs.list(client.accountId, 10)).toHaveLength(1);
  });
});

describe('a POST that found the job of an earlier request', () => {
  const unavailable = () => Promise.reject(new Error('MongoDB is down'));

  /** A job whose request was answered 500, and which is voided once MongoDB is reachable. */
  async function chargedFor500() {
    await startWorker();
    const mongo = { reachable: false };
    const voidJob: JobStore['void'] = (...pair) =>
      mongo.reachable ? service.stores.jobs.void(...pair) : unavailable();
    const voids = open.use(createVoids({ void: voidJob }, service.deps.logger));
    const app = await apiWith({
      jobGateway: losingResponses('afterwards'),
      voids,
      ...withJobs({ fence: unavailable }),
    });
    const key = randomUUID();
    const { client, headers, response } = await post(app, key);
    expect(response.statusCode).toBe(500);
    const [job] = await service.stores.jobs.list(client.accountId, 1);
    const jobId = job?.id ?? '';
    return { mongo, voids, key, client, headers, jobId };
  }

  /** `recordReturned` commits, but MongoDB's response is lost. */
  const losingResponse = () =>
    withJobs({
      async recordReturned(...request) {
        await service.stores.jobs.recordReturned(...request);
        return unavailable();
      },
    });

  const requestsOf = async (jobId: string) => {
    const jobs = service.mongo.db.collection<{ _id: string; answered: string[] }>('jobs');
    return (await jobs.findOne({ _id: jobId }))?.answered ?? [];
  };

  test('and is answered 500 as well voids it', async () => {
    const { mongo, voids, key, client, headers, jobId } = await chargedFor500();
    const app = await apiWith({ voids, ...losingResponse() });
    const retry = await postJob(app, headers, { tool: 'declutter', image_base64 });
    expect(retry.statusCode).toBe(500);
    expect(await requestsOf(jobId)).toEqual([jobId, expect.any(String)]);
    mongo.reachable = true;
    await eventually(() => expectNothingKept(client, key));
    const retried = await postJob(service.app, headers, { tool: 'declutter', image_base64 });
    expect(retried.statusCode).toBe(201);
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(49);
  });

  test('and fails after it was recorded voids it', async () => {
    const { mongo, voids, key, client, headers, jobId } = await chargedFor500();
    await eventually(async () => expect((await service.stores.jobs.get(jobId))?.status).toBe('completed'));
    const resultUrl = () => {
      throw new Error('The URL cannot be built.');
    };
    const app = await apiWith({ voids, images: { ...service.images, resultUrl } });
    const retry = await postJob(app, headers, { tool: 'declutter', image_base64 });
    expect(retry.statusCode).toBe(500);
    mongo.reachable = true;
    await eventually(() => expectNothingKept(client, key));
  });

  test('and fails after its client has disconnected voids it', async () => {
    const { mongo, voids, key, client, headers, jobId } = await chargedFor500();
    const abort = new AbortController();
    const recordReturned: JobStore['recordReturned'] = async (...request) => {
      await service.stores.jobs.recordReturned(...request);
      abort.abort();
      await eventually(async () => expect(await connections(app)).toBe(0));
      return unavailable();
    };
    const app = await apiWith({ voids, ...withJobs({ recordReturned }) });
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const body = JSON.stringify({ tool: 'declutter', image_base64 });
    const jsonHeaders = { ...headers, 'content-type': 'application/json' };
    const posting = fetch(`${url}/api/v1/jobs`, {
      method: 'POST',
      headers: jsonHeaders,
      body,
      signal: abort.signal,
    });
    await expect(posting).rejects.toThrow('aborted');
    await eventually(async () => expect(await requestsOf(jobId)).toHaveLength(2));
    mongo.reachable = true;
    await eventually(() => expectNothingKept(client, key));
  });

  test('and is answered 201 keeps it, although a third one is answered 500', async () => {
    const { mongo, voids, client, headers, jobId } = await chargedFor500();
    const body = { tool: 'declutter', image_base64 };
    const retry = await postJob(service.app, headers, body);
    expect([retry.statusCode, retry.json().job_id]).toEqual([201, jobId]);
    const third = await postJob(await apiWith({ voids, ...losingResponse() }), headers, body);
    expect(third.statusCode).toBe(500);
    mongo.reachable = true;
    await eventually(async () => expect(await requestsOf(jobId)).toHaveLength(1));
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(49);
    expect((await postJob(service.app, headers, body)).json().job_id).toBe(jobId);
  });

  test('is added to a list of bounded length', async () => {
    const { headers, jobId } = await chargedFor500();
    const retry = () => postJob(service.app, headers, { tool: 'declutter', image_base64 });
    const replays = await Promise.all(Array.from({ length: 20 }, retry));
    expect(new Set(replays.map(({ statusCode }) => statusCode))).toEqual(new Set([201]));
    expect(await requestsOf(jobId)).toHaveLength(MAX_REQUESTS);
  });
});

const connections = ({ server }: TypedApp) =>
  new Promise<number>((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );

async function workflowsOf(accountId: string) {
  const found = [];
  for await (const workflow of service.temporal.workflow.list({ query: `AccountId = '${accountId}'` }))
    found.push(workflow);
  return found;
}
