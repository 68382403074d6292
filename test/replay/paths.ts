import { randomUUID } from 'node:crypto';
import { noticeOf } from '../../activities/webhook-notices.ts';
import type { JobRequest } from '../../api/job-gateway.ts';
import { sweepAction } from '../../operator/sweep.ts';
import { redeliver, sendTest } from '../../operator/webhooks.ts';
import { deliveryIdOf } from '../../stores/delivery.ts';
import type { Stores } from '../../stores/ports.ts';
import type { SweepCounts } from '../../workflows/messages.ts';
import { eventually } from '../setup/eventually.ts';
import { HELD_TOOL, REFUSED_TOOL, type Stage } from './stage.ts';

/** Takes a workflow along one way through its code to its end. @returns the id of the workflow */
type Path = (stage: Stage) => Promise<string>;

/** Every way a workflow may go, by the name of its history. */
export const PATHS: Readonly<Record<string, Path>> = {
  'job-completed': async (stage) => run(stage, await stage.request()),
  'job-failed': async (stage) => run(stage, await stage.request({ tool: REFUSED_TOOL })),
  'job-refused-for-want-of-credits': async (stage) => run(stage, await stage.request({ imagesCharged: 51 })),
  'job-fenced': async (stage) => {
    const request = await stage.request();
    await stage.service.stores.jobs.fence(request.draft.jobId);
    return run(stage, request);
  },
  'job-voided-while-rendering': (stage) => cancelled(stage, ({ jobs }, id) => jobs.void(id, id)),
  'job-expired-before-its-start': async (stage) => run(stage, await stage.request({}, -1)),
  'job-existing': existing,
  'job-cancelled': (stage) => cancelled(stage),
  'job-completed-and-told': async (stage) => told(stage, {}),
  'job-failed-and-told': async (stage) => told(stage, { tool: REFUSED_TOOL }),
  'job-completed-over-the-limit': async (stage) => {
    const first = await stage.request();
    await run(stage, first);
    const { accountId, keyId } = first.draft;
    return run(stage, await stage.request({ accountId, keyId }));
  },
  'job-deleted-during-webhook': async (stage) => {
    const { draft } = await untilWebhook(stage);
    await stage.service.stores.jobs.remove([draft.jobId]);
    await stage.service.deps.jobs.deleted(draft.workflowId);
    return end(stage, draft.workflowId);
  },
  'job-cancelled-during-webhook': async (stage) => {
    const { draft } = await untilWebhook(stage);
    await stage.handle(draft.workflowId).cancel();
    return end(stage, draft.workflowId);
  },
  'delivery-of-a-lost-job': deliveryOfLostJob,
  redelivery,
  'test-event': testEvent,
  'sweep-with-nothing-to-do': async (stage) => sweep(stage),
  'sweep-with-a-lost-job': async (stage) => {
    const { draft } = await stage.request({ webhookUrl: stage.receiver.taken });
    await stage.service.stores.jobs.accept(draft);
    return sweep(stage);
  },
  'sweep-resumed-with-a-problem': async (stage) =>
    sweep(stage, {
      step: 4,
      after: '',
      counts: NO_COUNTS,
      problems: ['Removing images: the store was away'],
    }),
};

const NO_COUNTS: SweepCounts = {
  refunded: 0,
  deleted: 0,
  inputsDropped: 0,
  orphans: 0,
  removed: 0,
  unremoved: 0,
  takenUp: 0,
  forgotten: 0,
  failed: 0,
};

async function run(stage: Stage, request: JobRequest): Promise<string> {
  await stage.accept(request);
  return end(stage, request.draft.workflowId);
}

/** Some paths end in failure; that is theirs. */
async function end(stage: Stage, workflowId: string): Promise<string> {
  await stage
    .handle(workflowId)
    .result()
    .catch(() => {});
  return workflowId;
}

/** Another workflow for a key that already has its job, as after Temporal has forgotten the first one. */
async function existing(stage: Stage): Promise<string> {
  const first = await stage.request({ idempotencyKey: 'order-1' });
  await run(stage, first);
  const { accountId, keyId, bodyDigest, idempotencyKey } = first.draft;
  return run(stage, await stage.request({ accountId, keyId, bodyDigest, idempotencyKey }));
}

async function cancelled(
  stage: Stage,
  first: (stores: Stores, jobId: string) => Promise<unknown> = async () => {},
): Promise<string> {
  const request = await stage.request({ tool: HELD_TOOL });
  const { workflowId } = request.draft;
  await stage.accept(request);
  await eventually(async () => {
    const { raw } = await stage.handle(workflowId).describe();
    if (!raw.pendingActivities?.some(({ lastHeartbeatTime }) => lastHeartbeatTime))
      throw new Error('The render has not begun.');
  });
  await first(stage.service.stores, request.draft.jobId);
  await stage.handle(workflowId).cancel();
  return end(stage, workflowId);
}

async function told(stage: Stage, changes: Partial<JobRequest['draft']>): Promise<string> {
  return run(stage, await stage.request({ ...changes, webhookUrl: stage.receiver.taken }));
}

/** A job whose receiver has its webhook and does not answer. */
async function untilWebhook(stage: Stage): Promise<JobRequest> {
  const request = await stage.request({ webhookUrl: stage.receiver.ignored });
  await stage.accept(request);
  await stage.receiver.waits(deliveryIdOf(request.draft.jobId));
  return request;
}

async function deliveryOfLostJob(stage: Stage): Promise<string> {
  const { stores, temporal, deps } = stage.service;
  const { draft } = await stage.request({ webhookUrl: stage.receiver.taken });
  await stores.jobs.accept(draft);
  const interrupted = { error: 'The job was interrupted.', processingMs: null };
  const { delivery } = await stores.jobs.fail(draft.jobId, interrupted);
  if (delivery === null) throw new Error('The job has nobody to notify.');
  const workflowId = `webhook:${draft.jobId}`;
  await temporal.workflow.start('deliveryWorkflow', {
    workflowId,
    taskQueue: deps.jobs.queues.jobs,
    args: [noticeOf(delivery), deps.jobs.queues],
  });
  return end(stage, workflowId);
}

async function redelivery(stage: Stage): Promise<string> {
  const { temporal, deps } = stage.service;
  const request = await stage.request({ webhookUrl: stage.receiver.taken });
  await run(stage, request);
  const { jobId, accountId } = request.draft;
  const delivery = { id: deliveryIdOf(jobId), accountId };
  return end(stage, await redeliver(temporal, deps.jobs.queues, delivery));
}

async function testEvent(stage: Stage): Promise<string> {
  const { service, receiver } = stage;
  const { accountId } = await service.client();
  await service.stores.accounts.setWebhook(accountId, { url: receiver.taken });
  const id = await sendTest(service.temporal, service.deps.jobs.queues, accountId);
  return end(stage, `test-event:${id}`);
}

/** @param progress that of the run before, as when a long sweep goes on in a fresh one */
async function sweep(stage: Stage, ...progress: unknown[]): Promise<string> {
  const { workflowType, args, ...options } = sweepAction('');
  const workflowId = `${options.workflowId}:${randomUUID()}`;
  const { workflow } = stage.service.temporal;
  await workflow.start(workflowType, { ...options, args: [...args, ...progress], workflowId });
  return end(stage, workflowId);
}
