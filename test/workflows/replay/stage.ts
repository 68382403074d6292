import { randomUUID } from 'node:crypto';
import type { JobRequest } from '../../../api/jobs/gateway.ts';
import { findTool, planRender } from '../../../lib/catalog/catalog.ts';
import { GeneratorError } from '../../../lib/generators/errors.ts';
import { scriptedGenerators } from '../../setup/generators.ts';
import { sampleJpeg } from '../../setup/images.ts';
import type { Service } from '../../setup/open-service.ts';
import type { Receiver } from '../../setup/receiver.ts';
import { draftOf } from '../../setup/records.ts';

/** Tools whose render fails or hangs while histories are recorded. */
export const REFUSING_TOOL = 'pool';
export const HELD_TOOL = 'pool-removal';
/** Its first attempt fails, and leaves a task. */
export const RETRIED_TOOL = 'pool-addition';

const ACCEPT_MS = 20_000;
/** Where the receiver never responds. */
const HANGING_PATH = '/hangs';

export type Stage = Awaited<ReturnType<typeof openReplayStage>>;

/** A worker whose renders, receivers and limits make every path reachable. */
export async function openReplayStage(service: Service, receiver: Receiver) {
  const worker = await service.startWorker({
    generators: scriptedGenerators({
      [REFUSING_TOOL]: async () => {
        throw new GeneratorError({ kind: 'refused', reason: 'no_result' }, 'The model made no image.');
      },
      [HELD_TOOL]: ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      [RETRIED_TOOL]: async (_, { onSubmitted }) => {
        await onSubmitted({ id: 't1' });
        throw new GeneratorError({ kind: 'unavailable', retryAfterMs: 300_000 }, 'The upstream is busy.');
      },
    }),
    // A job counts as lost immediately, and one at a time; an account keeps one completed job.
    reconcile: { lostJobMs: 0, plausiblyLost: 1 },
    retention: { completedJobsPerAccount: 1 },
  });
  const image = await sampleJpeg();
  receiver.behave(() => undefined, HANGING_PATH);

  /** A request as the API passes it to the gateway, with its image stored. */
  async function request(
    changes: Partial<JobRequest['draft']> = {},
    acceptWithinMs = 10_000,
  ): Promise<JobRequest> {
    const client = await service.client();
    const tool = changes.tool ?? 'declutter';
    const spec = findTool(tool);
    const planned = spec && planRender(spec, {});
    if (!planned?.ok) throw new Error(`There is no render plan for ${tool}.`);
    const { plan } = planned;
    const input = { bucket: 'inputs' as const, key: `${client.accountId}/${randomUUID()}.jpeg` };
    await service.images.putInput(input.key, image, 'image/jpeg');
    const draft = draftOf(client, { tool, input, options: plan.settings, ...changes });
    return { draft, plan, format: 'jpeg', accountName: 'Client', acceptWithinMs, sentAt: Date.now() };
  }

  return {
    service,
    receiver,
    hangingUrl: `${receiver.origin}${HANGING_PATH}`,
    request,
    accept: (job: JobRequest) => service.deps.jobGateway.accept(job, ACCEPT_MS),
    handle: (workflowId: string) => service.temporal.workflow.getHandle(workflowId),
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  };
}
