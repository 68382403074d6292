import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Plan } from '../catalog/catalog.ts';
import type { Acceptance, ImageFormat, JobDraft, JobRecord } from '../domain/records.ts';
import type { TaskQueues } from './task-queues.ts';

/** Workflow type of a job. */
export const JOB_WORKFLOW = 'jobWorkflow';

export interface JobInput {
  draft: JobDraft;
  plan: Plan;
  /** For the Temporal UI. */
  accountName: string;
  /** Format the result is stored in. */
  format: ImageFormat;
  /**
   * Acceptance must start within this time after the start of the workflow, in milliseconds. Later
   * the API no longer waits for it.
   */
  acceptWithinMs: number;
  /** When the API called Temporal, in milliseconds by its clock. */
  sentAt: number;
  queues: TaskQueues;
}

const LATEST_START_MS = 24 * 3600_000;

/**
 * Milliseconds that are left for the acceptance to start; not positive when it is too late. MongoDB
 * removes the tombstone of a refused job after 7 days. So no call is accepted more than a day after
 * the API sent it, even if it arrives late or its workflow is reset. The clocks of API and Temporal
 * may differ by hours.
 * @param startedAt when the workflow started, like `now` by Temporal's clock
 */
export function acceptanceLeftMs(
  { acceptWithinMs, sentAt }: Pick<JobInput, 'acceptWithinMs' | 'sentAt'>,
  startedAt: number,
  now: number,
): number {
  return Math.min(acceptWithinMs - (now - startedAt), LATEST_START_MS - (now - sentAt));
}

/**
 * Waits for the acceptance and returns its outcome, to every concurrent request with one
 * idempotency key. The workflow fails if no job was created.
 */
export const acceptUpdate = defineUpdate<Acceptance>('accept');

/** The job was deleted. Cancels its webhook if it is not delivered yet. */
export const deletedSignal = defineSignal('deleted');

/**
 * Stops the render of this job. The job then fails and is refunded, unless it has already ended. A
 * workflow that no longer renders ignores the signal, so it never ends the delivery of a webhook; a
 * cancellation of the workflow does. The signal names the job, because the workflow id belongs to
 * the idempotency key: when the job was voided, a late signal may reach the workflow of the key's
 * next job.
 */
export const stopSignal = defineSignal<[jobId: string]>('stop');

/** Result of the job workflow. */
export interface JobResult {
  status: JobRecord['status'] | 'existing';
  jobId: string;
}
