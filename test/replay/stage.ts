import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JobRequest } from '../../api/jobs/gateway.ts';
import { findTool, planRender } from '../../catalog/catalog.ts';
import { GeneratorError } from '../../generators/errors.ts';
import { sampleImage } from '../setup/client.ts';
import { eventually } from '../setup/eventually.ts';
import { scriptedGenerator } from '../setup/generators.ts';
import type { Service } from '../setup/open-service.ts';

/** Tools whose render fails or hangs while histories are recorded. */
export const REFUSED_TOOL = 'pool';
export const HELD_TOOL = 'pool-removal';

const ACCEPT_MS = 20_000;

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** A worker whose renders, receivers and limits make every path reachable. */
export async function openStage(service: Service, receiver: Receiver) {
  const worker = await service.startWorker({
    generator: scriptedGenerator({
      [REFUSED_TOOL]: async () => {
        throw new GeneratorError({ kind: 'refused', reason: 'no_result' }, 'The model made no image.');
      },
      [HELD_TOOL]: ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    }),
    // A job counts as lost immediately, and an account keeps one completed job.
    retention: { lostJobMs: 0, completedJobsPerAccount: 1 },
  });
  const image = Buffer.from(await sampleImage(), 'base64');

  /** A request as the API passes it to the gateway, with its image stored. */
  async function request(
    changes: Partial<JobRequest['draft']> = {},
    acceptWithinMs = 10_000,
  ): Promise<JobRequest> {
    const { accountId, keyId } = await service.client();
    const jobId = randomUUID();
    const tool = changes.tool ?? 'declutter';
    const spec = findTool(tool);
    const planned = spec && planRender(spec, {});
    if (!planned?.ok) throw new Error(`There is no render plan for ${tool}.`);
    const { plan } = planned;
    const input = { bucket: 'inputs' as const, key: `${accountId}/${randomUUID()}.jpeg` };
    await service.images.putInput(input.key, image, 'image/jpeg');
    const draft = {
      jobId,
      accountId,
      keyId,
      tool,
      input,
      workflowId: `job:${jobId}`,
      idempotencyKey: null,
      bodyDigest: createHash('sha256').update(jobId).digest('hex'),
      imagesCharged: 1,
      options: plan.settings,
      warnings: [],
      webhookUrl: null,
      ...changes,
    };
    return { draft, plan, format: 'jpeg', accountName: 'Client', acceptWithinMs };
  }

  return {
    service,
    receiver,
    request,
    accept: (job: JobRequest) => service.deps.jobGateway.accept(job, ACCEPT_MS),
    handle: (workflowId: string) => service.temporal.workflow.getHandle(workflowId),
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  };
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Responds to webhooks at one URL and never responds at the other. */
export async function startReceiver() {
  const unanswered = new Set<string>();
  const server = createServer((request, response) => {
    if (request.url === '/responds') response.writeHead(204).end();
    else unanswered.add(String(request.headers['webhook-id']));
    request.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    respondingUrl: `${origin}/responds`,
    hangingUrl: `${origin}/hangs`,
    /** Waits until this webhook has arrived at `hangingUrl`. */
    hasReceived: (deliveryId: string) =>
      eventually(async () => {
        if (!unanswered.has(deliveryId)) throw new Error(`${deliveryId} has not arrived.`);
      }),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
