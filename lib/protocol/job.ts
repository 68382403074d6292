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
  /** When the API called Temporal, in milliseconds by its clock; absent in jobs of version 0.1.0. */
  sentAt?: number;
  queues: TaskQueues;
}

const LATEST_START_MS = 24 * 3600_000;

/**
 * Milliseconds that are left for acceptance to start; not positive when it is too late. MongoDB removes the tombstone of
 * a refused job after 7 days. So a call is not accepted a day after it was sent, whenever it arrives and however often its
 * workflow is reset. The clocks of API and Temporal may differ by hours.
 * @param startedAt when the workflow started, like `now` by Temporal's clock
 */
export function acceptanceLeftMs(
  { acceptWithinMs, sentAt }: Pick<JobInput, 'acceptWithinMs' | 'sentAt'>,
  startedAt: number,
  now: number,
): number {
  return Math.min(acceptWithinMs - (now - startedAt), LATEST_START_MS - (now - (sentAt ?? startedAt)));
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
