import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildApp } from '../../api/app.ts';
import { createVoids } from '../../api/creation/voids.ts';
import type { ApiDeps } from '../../api/deps.ts';
import type { JobGateway } from '../../api/job-gateway.ts';
import type { TypedApp } from '../../api/operation.ts';
import { MOST_ANSWERED } from '../../stores/answered.ts';
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
        { void: (...pair) => (reachable ? service.stores.jobs.void(...pair) : fence()) },
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
          async void(...pair) {
            if (!reachable) return fence();
            asked.push(await service.stores.jobs.void(...pair));
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

describe('a POST that found the job of another one', () => {
  const away = () => Promise.reject(new Error('MongoDB is away'));

  /** A job whose request was answered 500, and will be undone as soon as MongoDB is reachable. */
  async function chargedFor500() {
    await startWorker();
    const mongo = { reachable: false };
    const undo: JobStore['void'] = (...pair) =>
      mongo.reachable ? service.stores.jobs.void(...pair) : away();
    const voids = open.use(createVoids({ void: undo }, service.deps.logger));
    const app = await apiWith({ jobs: losingAnswers('afterwards'), voids, ...withJobs({ fence: away }) });
    const key = randomUUID();
    const { client, headers, answer } = await post(app, key);
    expect(answer.statusCode).toBe(500);
    const [job] = await service.stores.jobs.list(client.accountId, 1);
    const jobId = job?.id ?? '';
    return { mongo, voids, key, client, headers, jobId };
  }

  /** Each of its marks is committed, and MongoDB's answer lost. */
  const losingMarks = () =>
    withJobs({
      async markAnswered(...request) {
        await service.stores.jobs.markAnswered(...request);
        return away();
      },
    });

  const answeredWith = async (jobId: string) => {
    const jobs = service.mongo.db.collection<{ _id: string; answered: string[] }>('jobs');
    return (await jobs.findOne({ _id: jobId }))?.answered ?? [];
  };

  test('and is answered 500 as well undoes it', async () => {
    const { mongo, voids, key, client, headers, jobId } = await chargedFor500();
    const app = await apiWith({ voids, ...losingMarks() });
    const again = await postJob(app, headers, { tool: 'declutter', image_base64 });
    expect(again.statusCode).toBe(500);
    expect(await answeredWith(jobId)).toEqual([jobId, expect.any(String)]);
    mongo.reachable = true;
    await eventually(() => expectNothingKept(client, key));
    const placed = await postJob(service.app, headers, { tool: 'declutter', image_base64 });
    expect(placed.statusCode).toBe(201);
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(49);
  });

  test('and fails after marking the job undoes it', async () => {
    const { mongo, voids, key, client, headers, jobId } = await chargedFor500();
    await eventually(async () => expect((await service.stores.jobs.get(jobId))?.status).toBe('completed'));
    const resultUrl = () => {
      throw new Error('It cannot be shown.');
    };
    const app = await apiWith({ voids, images: { ...service.images, resultUrl } });
    const again = await postJob(app, headers, { tool: 'declutter', image_base64 });
    expect(again.statusCode).toBe(500);
    mongo.reachable = true;
    await eventually(() => expectNothingKept(client, key));
  });

  test('and fails after its client has gone undoes it', async () => {
    const { mongo, voids, key, client, headers, jobId } = await chargedFor500();
    const gone = new AbortController();
    const markAnswered: JobStore['markAnswered'] = async (...request) => {
      await service.stores.jobs.markAnswered(...request);
      gone.abort();
      await eventually(async () => expect(await connections(app)).toBe(0));
      return away();
    };
    const app = await apiWith({ voids, ...withJobs({ markAnswered }) });
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const body = JSON.stringify({ tool: 'declutter', image_base64 });
    const sent = { ...headers, 'content-type': 'application/json' };
    const posting = fetch(`${url}/api/v1/jobs`, { method: 'POST', headers: sent, body, signal: gone.signal });
    await expect(posting).rejects.toThrow('aborted');
    await eventually(async () => expect(await answeredWith(jobId)).toHaveLength(2));
    mongo.reachable = true;
    await eventually(() => expectNothingKept(client, key));
  });

  test('and is answered 201 keeps it, though a third one is answered 500', async () => {
    const { mongo, voids, client, headers, jobId } = await chargedFor500();
    const body = { tool: 'declutter', image_base64 };
    const again = await postJob(service.app, headers, body);
    expect([again.statusCode, again.json().job_id]).toEqual([201, jobId]);
    const third = await postJob(await apiWith({ voids, ...losingMarks() }), headers, body);
    expect(third.statusCode).toBe(500);
    mongo.reachable = true;
    await eventually(async () => expect(await answeredWith(jobId)).toHaveLength(1));
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(49);
    expect((await postJob(service.app, headers, body)).json().job_id).toBe(jobId);
  });

  test('adds to a list that stays short', async () => {
    const { headers, jobId } = await chargedFor500();
    const again = () => postJob(service.app, headers, { tool: 'declutter', image_base64 });
    const replays = await Promise.all(Array.from({ length: 20 }, again));
    expect(new Set(replays.map(({ statusCode }) => statusCode))).toEqual(new Set([201]));
    expect(await answeredWith(jobId)).toHaveLength(MOST_ANSWERED);
  });

  test.each([
    ['no', { $unset: 'answered' }, []],
    ['a true', { $set: { answered: true } }, ['by 0.1.0']],
  ])(
    'and is answered 500 keeps one that version 0.1.0 has stored, with %s mark',
    async (_, as010, others) => {
      await startWorker();
      const { client, headers, answer } = await post(service.app, randomUUID());
      const jobId: string = answer.json().job_id;
      await service.mongo.db.collection<{ _id: string }>('jobs').updateOne({ _id: jobId }, [as010]);
      const body = { tool: 'declutter', image_base64 };
      const app = await apiWith(losingMarks());
      expect((await postJob(app, headers, body)).statusCode).toBe(500);
      await eventually(async () => expect(await answeredWith(jobId)).toEqual([jobId, ...others]));
      expect((await postJob(service.app, headers, body)).json().job_id).toBe(jobId);
      expect((await service.stores.accounts.get(client.accountId)).balance).toBe(49);
    },
  );

  test('that version 0.1.0 has answered as well keeps it', async () => {
    await startWorker();
    const { client, answer } = await post(service.app, randomUUID());
    const jobId: string = answer.json().job_id;
    const jobs = service.mongo.db.collection<{ _id: string }>('jobs');
    await jobs.updateOne({ _id: jobId }, { $set: { answered: true } });
    expect(await service.stores.jobs.void(jobId, jobId)).toBe(false);
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(49);
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
