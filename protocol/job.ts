import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Plan } from '../catalog/catalog.ts';
import type { Acceptance, ImageFormat, JobDraft, JobRecord } from '../domain/records.ts';
import type { TaskQueues } from './task-queues.ts';

/** Workflow type of a job. */
export const JOB_WORKFLOW = 'jobWorkflow';

export interface JobInput {
  draft: JobDraft;
  plan: Plan;
  /** For the Temporal UI; absent in jobs of version 0.1.0. */
  accountName?: string;
  /** Format the result is stored in. */
  format: ImageFormat;
  /** Milliseconds after the start of the workflow in which acceptance may start; later, the API has timed out. */
  acceptWithinMs: number;
  queues: TaskQueues;
}

/**
 * The outcome returned to every concurrent request with one idempotency key. `unavailable`: acceptance was too late;
 * the job is fenced and can never be charged.
 */
export type AcceptanceOutcome = Acceptance | { outcome: 'unavailable'; jobId: string };

/** Waits for acceptance and returns its outcome. The workflow fails if no job was created. */
export const acceptUpdate = defineUpdate<AcceptanceOutcome>('accept');

/** The job was deleted: cancels an undelivered webhook. */
export const deletedSignal = defineSignal('deleted');

/**
 * Stops a job in progress, which then fails and is refunded, or a render whose job has ended. Unlike a cancellation of the
 * workflow, it never ends the delivery of a webhook: a workflow that no longer renders ignores it. It names the job,
 * because a signal may arrive when the job was voided and its key, whose workflow id is the same, has another one. An
 * operator's command line from before this parameter sends none.
 */
export const stopSignal = defineSignal<[jobId?: string]>('stop');

/** Result of the job workflow, for the Temporal UI. */
export interface JobOutcome {
  status: JobRecord['status'] | 'existing';
  jobId: string;
}
