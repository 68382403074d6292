import { randomUUID } from 'node:crypto';
import type { DeliveryRecord, JobRecord } from './records.ts';

/** Attempts stored per delivery, the latest ones. A cycle has 8. */
export const KEPT_ATTEMPTS = 50;

/**
 * Test events that are kept for an account. They cost nothing, so nothing else bounds their number.
 */
export const KEPT_TESTS = 100;

/** The initial state of every cycle of a delivery. */
export const NEW_CYCLE = { state: 'pending', reason: null, tries: 0, nextAttemptAt: null } as const;

/**
 * The error of an attempt until its outcome is recorded. Stored, and compared with stored values.
 */
export const NO_OUTCOME = 'No outcome is known: the request is under way, or the worker stopped during it.';

export const JOB_DELETED = 'The job was deleted.';

/** The cycle that starts when the job ends; each redelivery has its own. */
export const FIRST_CYCLE = 'first';

/** The event type for an ended job. */
export const eventTypeOf = (status: JobRecord['status']) =>
  status === 'completed' ? 'job.completed' : 'job.failed';

/**
 * Where the webhook of a job goes: to the job's own URL, or to the account's endpoint. The first
 * attempt cancels a delivery to an endpoint that is disabled, so that it is in the log and can be
 * sent again.
 */
export function destinationOf(jobUrl: string | null, accountUrl: string | null): Destination | undefined {
  if (jobUrl !== null) return { target: 'job', url: jobUrl };
  return accountUrl === null ? undefined : { target: 'account', url: accountUrl };
}

export type Destination = { target: DeliveryRecord['target']; url: string };

/** The delivery for an ended job, in its first cycle. */
export function newDelivery(
  { id: jobId, accountId }: Pick<JobRecord, 'id' | 'accountId'>,
  status: 'completed' | 'failed',
  destination: Destination,
): DeliveryRecord {
  return {
    id: deliveryIdOf(jobId),
    accountId,
    jobId,
    type: eventTypeOf(status),
    ...destination,
    ...NEW_CYCLE,
    cycle: FIRST_CYCLE,
    attempts: [],
    createdAt: new Date(),
  };
}

/** The delivery of a test event to the account's endpoint, in its only cycle. */
export const newTestDelivery = (id: string, accountId: string, url: string | null) => ({
  id,
  accountId,
  jobId: null,
  type: 'test.ping' as const,
  target: 'account' as const,
  url,
  cycle: FIRST_CYCLE,
});

/** The state of a pending delivery when its job is deleted. */
export const CANCELLED_DELIVERY = { state: 'cancelled', reason: JOB_DELETED, nextAttemptAt: null } as const;

/** The id of a job's delivery, sent as `webhook-id`. A job has one. */
export const deliveryIdOf = (jobId: string) => `msg_${jobId.replaceAll('-', '')}`;

/** The id of a delivery that belongs to no job. */
export const newDeliveryId = () => deliveryIdOf(randomUUID());

/** Whether the text has the form of a delivery's id. */
export const isDeliveryId = (text: string) => /^msg_[0-9a-f]{32}$/.test(text);
