import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { pendingDeliveryOf } from '../../../activities/webhooks/pending-delivery.ts';
import type { JobRequest } from '../../../api/jobs/gateway.ts';
import { deliveryIdOf } from '../../../lib/domain/delivery.ts';
import { CANCELLED_JOB } from '../../../lib/domain/job-errors.ts';
import type { JobDraft } from '../../../lib/domain/records.ts';
import { stopSignal } from '../../../lib/protocol/job.ts';
import { type ReconcileCounts, reconcileAction } from '../../../lib/protocol/reconcile.ts';
import { type RetentionCounts, retentionAction } from '../../../lib/protocol/retention.ts';
import type { Stores } from '../../../lib/stores/stores.ts';
import { redeliver, sendTest } from '../../../operator/deliveries.ts';
import type { ReconcileProgress } from '../../../workflows/reconcile.ts';
import type { RetentionProgress } from '../../../workflows/retention.ts';
import { eventually } from '../../setup/eventually.ts';
import { HELD_TOOL, REFUSING_TOOL, RETRIED_TOOL, type Stage } from './stage.ts';

/** Runs a workflow along one path through its code. @returns the id of the workflow */
type Path = (stage: Stage) => Promise<string>;

/** All paths through the workflows, by the name of the history. */
export const PATHS: Readonly<Record<string, Path>> = {
  'job-completed': async (stage) => run(stage, await stage.request()),
  'job-failed': async (stage) => run(stage, await stage.request({ tool: REFUSING_TOOL })),
  'job-insufficient-credits': async (stage) => run(stage, await stage.request({ imagesCharged: 51 })),
  'job-fenced': async (stage) => {
    const request = await stage.request();
    await stage.service.stores.jobs.fence(request.draft.jobId);
    return run(stage, request);
  },
  'job-voided-while-rendering': (stage) => cancelled(stage, ({ jobs }, id) => jobs.void(id, id)),
  'job-expired-before-its-start': async (stage) => run(stage, await stage.request({}, -1)),
  'job-existing': existing,
  'job-cancelled': (stage) => cancelled(stage),
  'job-stopped': (stage) =>
    cancelled(stage, undefined, (workflow, jobId) => workflow.signal(stopSignal, jobId)),
  'job-not-stopped-for-another': async (stage) => {
    const { draft } = await untilHeld(stage);
    const workflow = stage.handle(draft.workflowId);
    await workflow.signal(stopSignal, randomUUID());
    await stage.service.stores.jobs.fail(draft.jobId, { ...CANCELLED_JOB, processingMs: null });
    await workflow.signal(stopSignal, draft.jobId);
    return end(stage, draft.workflowId);
  },
  'job-cancelled-by-its-client': async (stage) => {
    const { draft } = await untilHeld(stage);
    await stage.service.stores.jobs.fail(draft.jobId, { ...CANCELLED_JOB, processingMs: null });
    await stage.service.deps.jobGateway.notifyCancelled({ ...draft, id: draft.jobId });
    return end(stage, draft.workflowId);
  },
  'job-cancelled-between-attempts': cancelledBetweenAttempts,
  'job-completed-with-webhook': async (stage) => runWithWebhook(stage, {}),
  'job-failed-with-webhook': async (stage) => runWithWebhook(stage, { tool: REFUSING_TOOL }),
  'job-completed-over-the-limit': async (stage) => {
    const { accountId, keyId } = await completed(stage);
    return run(stage, await stage.request({ accountId, keyId }));
  },
  'job-deleted-during-webhook': async (stage) => {
    const { draft } = await untilWebhook(stage);
    await stage.service.stores.jobs.remove([draft.jobId]);
    await stage.service.deps.jobGateway.notifyDeleted(draft.workflowId);
    return end(stage, draft.workflowId);
  },
  'job-cancelled-during-webhook': async (stage) => {
    const { draft } = await untilWebhook(stage);
    await stage.handle(draft.workflowId).cancel();
    return end(stage, draft.workflowId);
  },
  'delivery-resumed': deliveryOfLostJob,
  redelivery,
  'test-event': testEvent,
  'job-over-the-limit-with-webhook': async (stage) => {
    const { accountId, keyId } = await completed(stage);
    return runWithWebhook(stage, { accountId, keyId });
  },
  'reconcile-with-nothing-to-do': async (stage) => runReconcile(stage),
  'reconcile-with-a-lost-job': async (stage) => {
    await lostJobs(stage, 1);
    return runReconcile(stage);
  },
  'reconcile-with-an-open-call': async (stage) => {
    const [draft] = await lostJobs(stage, 1);
    const { generatorCalls, jobs } = stage.service.stores;
    const call = { id: randomUUID(), generator: 'scripted', model: 'script', mayBeCharged: false };
    await generatorCalls.begin(draft?.jobId ?? '', call, []);
    await jobs.fail(draft?.jobId ?? '', { error: 'No.', failureReason: 'no_result', processingMs: null });
    return runReconcile(stage);
  },
  'reconcile-stopped': async (stage) => {
    const drafts = await lostJobs(stage, 2);
    const workflowId = await runReconcile(stage);
    for (const { jobId } of drafts)
      await stage.service.stores.jobs.fail(jobId, { ...CANCELLED_JOB, processingMs: null });
    return workflowId;
  },
  'reconcile-resumed-with-a-problem': async (stage) =>
    runReconcile(stage, {
      step: 'findOpenCalls',
      after: '',
      counts: NOTHING_RECONCILED,
      problems: ['Resuming lost webhooks: MongoDB is down.'],
    }),
  'retention-with-nothing-to-do': async (stage) => runRetention(stage),
  'retention-resumed-with-a-problem': async (stage) =>
    runRetention(stage, {
      step: 'deleteHistories',
      after: '',
      counts: NO_COUNTS,
      problems: ['Removing queued images: The image store is down.'],
    }),
};

const NO_COUNTS: RetentionCounts = {
  deleted: 0,
  inputsDropped: 0,
  orphans: 0,
  removed: 0,
  unremoved: 0,
  historiesDeleted: 0,
  failed: 0,
};

const NOTHING_RECONCILED: ReconcileCounts = {
  checked: 0,
  refunded: 0,
  webhooksResumed: 0,
  callsCancelled: 0,
  callsLeft: 0,
  deleted: 0,
  failed: 0,
};

async function completed(stage: Stage): Promise<JobDraft> {
  const request = await stage.request();
  await run(stage, request);
  return request.draft;
}

/** Jobs in progress that have no workflow. */
async function lostJobs(stage: Stage, count: number): Promise<JobDraft[]> {
  const drafts: JobDraft[] = [];
  for (let n = 0; n < count; n += 1) {
    const { draft } = await stage.request({ webhookUrl: stage.receiver.url });
    await stage.service.stores.jobs.accept(draft);
    drafts.push(draft);
  }
  return drafts;
}

async function run(stage: Stage, request: JobRequest): Promise<string> {
  await stage.accept(request);
  return end(stage, request.draft.workflowId);
}

/** Waits until the workflow is closed; some paths end in a failure. */
async function end(stage: Stage, workflowId: string): Promise<string> {
  await stage
    .handle(workflowId)
    .result()
    .catch(() => {});
  return workflowId;
}

/**
 * A second workflow for a key that already has a job, as when the first one has been deleted from
 * Temporal.
 */
async function existing(stage: Stage): Promise<string> {
  const first = await stage.request({ idempotencyKey: 'order-1' });
  await run(stage, first);
  const { accountId, keyId, bodyDigest, idempotencyKey } = first.draft;
  return run(stage, await stage.request({ accountId, keyId, bodyDigest, idempotencyKey }));
}

async function cancelled(
  stage: Stage,
  beforeCancel: (stores: Stores, jobId: string) => Promise<unknown> = async () => {},
  cancel: (workflow: WorkflowHandle, jobId: string) => Promise<unknown> = (workflow) => workflow.cancel(),
): Promise<string> {
  const { draft } = await untilHeld(stage);
  await beforeCancel(stage.service.stores, draft.jobId);
  await cancel(stage.handle(draft.workflowId), draft.jobId);
  return end(stage, draft.workflowId);
}

/** A job whose render has started, and does not end by itself. */
async function untilHeld(stage: Stage): Promise<JobRequest> {
  const request = await stage.request({ tool: HELD_TOOL });
  const { workflowId } = request.draft;
  await stage.accept(request);
  await eventually(async () => {
    const { raw } = await stage.handle(workflowId).describe();
    if (!raw.pendingActivities?.some(({ lastHeartbeatTime }) => lastHeartbeatTime))
      throw new Error('The render has not started.');
  });
  return request;
}

/** The render leaves a task at its upstream. */
async function cancelledBetweenAttempts(stage: Stage): Promise<string> {
  const request = await stage.request({ tool: RETRIED_TOOL });
  const { workflowId } = request.draft;
  await stage.accept(request);
  await eventually(async () => {
    const { raw } = await stage.handle(workflowId).describe();
    if (!raw.pendingActivities?.some(({ attempt, lastFailure }) => attempt === 2 && lastFailure))
      throw new Error('The first attempt has not failed.');
  });
  await stage.handle(workflowId).cancel();
  return end(stage, workflowId);
}

async function runWithWebhook(stage: Stage, changes: Partial<JobRequest['draft']>): Promise<string> {
  return run(stage, await stage.request({ ...changes, webhookUrl: stage.receiver.url }));
}

/** A job whose receiver has got the webhook and does not respond. */
async function untilWebhook(stage: Stage): Promise<JobRequest> {
  const request = await stage.request({ webhookUrl: stage.hangingUrl });
  await stage.accept(request);
  const { jobId } = request.draft;
  await eventually(async () => {
    if (stage.receiver.receivedFor(jobId).length === 0)
      throw new Error(`The webhook of ${jobId} is missing.`);
  });
  return request;
}

async function deliveryOfLostJob(stage: Stage): Promise<string> {
  const { stores, temporal, deps } = stage.service;
  const { draft } = await stage.request({ webhookUrl: stage.receiver.url });
  await stores.jobs.accept(draft);
  const interrupted = {
    error: 'The job was interrupted.',
    failureReason: 'no_result' as const,
    processingMs: null,
  };
  const { delivery } = await stores.jobs.fail(draft.jobId, interrupted);
  if (delivery === null) throw new Error('The job has no webhook.');
  const workflowId = `webhook:${draft.jobId}`;
  await temporal.workflow.start('deliveryWorkflow', {
    workflowId,
    taskQueue: deps.jobGateway.queues.jobs,
    args: [pendingDeliveryOf(delivery), deps.jobGateway.queues],
  });
  return end(stage, workflowId);
}

async function redelivery(stage: Stage): Promise<string> {
  const { temporal, deps } = stage.service;
  const request = await stage.request({ webhookUrl: stage.receiver.url });
  await run(stage, request);
  const { jobId, accountId } = request.draft;
  const delivery = { id: deliveryIdOf(jobId), accountId };
  return end(stage, await redeliver(temporal, deps.jobGateway.queues, delivery));
}

async function testEvent(stage: Stage): Promise<string> {
  const { service, receiver } = stage;
  const { accountId } = await service.client();
  await service.stores.accounts.setWebhook(accountId, { url: receiver.url });
  const id = await sendTest(service.temporal, service.deps.jobGateway.queues, accountId);
  return end(stage, `test-event:${id}`);
}

const runRetention = (stage: Stage, progress?: RetentionProgress) =>
  runAction(stage, retentionAction(''), progress);
const runReconcile = (stage: Stage, progress?: ReconcileProgress) =>
  runAction(stage, reconcileAction(''), progress);

/** @param progress of the previous run, as after continue-as-new */
async function runAction(
  stage: Stage,
  { workflowType, args, ...options }: ReturnType<typeof retentionAction> | ReturnType<typeof reconcileAction>,
  progress?: RetentionProgress | ReconcileProgress,
): Promise<string> {
  const workflowId = `${options.workflowId}:${randomUUID()}`;
  const { workflow } = stage.service.temporal;
  await workflow.start(workflowType, {
    ...options,
    args: progress === undefined ? [...args] : [...args, progress],
    workflowId,
  });
  return end(stage, workflowId);
}
