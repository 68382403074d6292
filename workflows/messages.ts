import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type {
  AcceptanceOutcome,
  ImageFormat,
  JobDraft,
  JobEnd,
  SweepCounts,
} from '../activities/activities.ts';
import type { Plan } from '../catalog/catalog.ts';

export type { AcceptanceOutcome, ImageFormat, JobDraft, SweepCounts };

/** Name of the job workflow's type. */
export const JOB_WORKFLOW = 'jobWorkflow';

/** The task queues of one deployment; tests put a prefix before them. */
export const taskQueues = (prefix: string) => ({
  jobs: `${prefix}jobs`,
  images: `${prefix}images`,
  webhooks: `${prefix}webhooks`,
});
export type TaskQueues = ReturnType<typeof taskQueues>;

export interface JobInput {
  draft: JobDraft;
  plan: Plan;
  /** Format the result is stored in. */
  format: ImageFormat;
  /** Milliseconds from the start of the workflow in which the acceptance may begin; later the API has given up. */
  acceptWithinMs: number;
  queues: TaskQueues;
}

/** Waits for the acceptance of the job and returns its outcome; the workflow ends as failed unless it is a job. */
export const acceptUpdate = defineUpdate<AcceptanceOutcome>('accept');

/** Says that the job was deleted: a webhook not yet delivered is not sent any more. */
export const deletedSignal = defineSignal('deleted');

/** What a job's workflow returns to whoever reads it in the Temporal UI. */
export interface JobOutcome {
  status: JobEnd['status'] | 'existing';
  jobId: string;
}

/** Name of the workflow that applies the rules on retention. */
export const SWEEP_WORKFLOW = 'sweepWorkflow';

/** Names of the workflows that deliver a webhook once more, and a test event. */
export const REDELIVERY_WORKFLOW = 'redeliveryWorkflow';
export const TEST_EVENT_WORKFLOW = 'testEventWorkflow';

export interface DeliveryInput {
  deliveryId: string;
  accountId: string;
  queues: TaskQueues;
}

/** Search attributes, registered by `operator setup`. */
export const ACCOUNT_ID = { name: 'AccountId', type: 'KEYWORD' } as const;
export const TOOL = { name: 'Tool', type: 'KEYWORD' } as const;
export const JOB_STATUS = { name: 'JobStatus', type: 'KEYWORD' } as const;
export const SEARCH_ATTRIBUTES = [ACCOUNT_ID, TOOL, JOB_STATUS] as const;
