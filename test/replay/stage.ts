import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JobRequest } from '../../api/job-gateway.ts';
import { findTool, planRender } from '../../catalog/catalog.ts';
import { GeneratorError } from '../../generators/errors.ts';
import { samplePicture } from '../setup/client.ts';
import { eventually } from '../setup/eventually.ts';
import { scriptedGenerator } from '../setup/generators.ts';
import type { Service } from '../setup/open-service.ts';

/** Tools that do something else than render when histories are recorded. */
export const REFUSED_TOOL = 'pool';
export const HELD_TOOL = 'pool-removal';

const ANSWER_MS = 20_000;

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** A worker whose renders and webhook receivers do what a path needs. */
export async function openStage(service: Service, receiver: Receiver) {
  const { stores } = service;
  const worker = await service.startWorker({
    generator: scriptedGenerator({
      [REFUSED_TOOL]: async () => {
        throw new GeneratorError({ kind: 'refused', reason: 'no_result' }, 'The model made no picture.');
      },
      [HELD_TOOL]: ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    }),
    // A job counts as lost at once, and the second completed one of an account is too many.
    retention: { lostJobMs: 0, completedJobsPerAccount: 1 },
  });
  const picture = Buffer.from(await samplePicture(), 'base64');

  /** A request as the API hands it to the gateway, its picture stored. */
  async function request(
    changes: Partial<JobRequest['draft']> = {},
    acceptWithinMs = 10_000,
  ): Promise<JobRequest> {
    const { accountId, keyId } = await service.client();
    const jobId = randomUUID();
    const tool = changes.tool ?? 'declutter';
    const spec = findTool(tool);
    const planned = spec && planRender(spec, {});
    if (!planned?.ok) throw new Error(`${tool} can't be planned`);
    const { plan } = planned;
    const input = { bucket: 'inputs' as const, key: `${accountId}/${randomUUID()}.jpeg` };
    await service.images.putInput(input.key, picture, 'image/jpeg');
    const draft = {
      ...{ jobId, accountId, keyId, tool, input, workflowId: `job:${jobId}` },
      ...{ idempotencyKey: null, bodyDigest: createHash('sha256').update(jobId).digest('hex') },
      ...{ imagesCharged: 1, options: plan.settings, warnings: [], webhookUrl: null },
      ...changes,
    };
    return { draft, plan, format: 'jpeg', accountName: 'Client', acceptWithinMs };
  }

  return {
    service,
    receiver,
    request,
    accept: (job: JobRequest) => service.deps.jobs.accept(job, ANSWER_MS),
    handle: (workflowId: string) => service.temporal.workflow.getHandle(workflowId),
    /** Until the job is no longer processing, whatever its workflow still does. */
    ended: (jobId: string) =>
      eventually(async () => {
        const job = await stores.jobs.get(jobId);
        if (job === undefined || job.status === 'processing') throw new Error(`job ${jobId} has not ended`);
        return job;
      }),
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  };
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Takes webhooks at `/taken`, and never answers at `/ignored`. */
export async function startReceiver() {
  const waiting = new Set<string>();
  const server = createServer((request, response) => {
    if (request.url === '/taken') response.writeHead(204).end();
    else waiting.add(String(request.headers['webhook-id']));
    request.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    taken: `${origin}/taken`,
    ignored: `${origin}/ignored`,
    /** Until somebody waits for the answer to this webhook. */
    waits: (deliveryId: string) =>
      eventually(async () => {
        if (!waiting.has(deliveryId)) throw new Error(`${deliveryId} has not arrived`);
      }),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
