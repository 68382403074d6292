import type { DeliveryRecord, JobRecord, WebhookEndpoint } from './records.ts';

/** Attempts kept of one delivery; a round has 8, and the oldest go first. */
export const KEPT_ATTEMPTS = 50;

/** How every round of a delivery begins. */
export const NEW_ROUND = { state: 'pending', reason: null, tries: 0, nextAttemptAt: null } as const;

/** The error of an attempt until its outcome is recorded. */
export const NO_OUTCOME = 'No outcome is known: the request is under way, or the worker stopped during it.';

export const JOB_DELETED = 'The job was deleted.';

/** The round of attempts that begins with the end of a job. */
export const FIRST_ROUND = 'first';

/** The event that an ended job is. */
export const eventTypeOf = (status: JobRecord['status']) =>
  status === 'completed' ? 'job.completed' : 'job.failed';

/** Where the end of a job is notified: its own URL, or the account's endpoint while that is in use. */
export function destinationOf(
  { webhookUrl }: Pick<JobRecord, 'webhookUrl'>,
  { url, disabledReason }: Pick<WebhookEndpoint, 'url' | 'disabledReason'>,
): Destination | undefined {
  if (webhookUrl !== null) return { target: 'job', url: webhookUrl };
  return url === null || disabledReason !== null ? undefined : { target: 'account', url };
}

export type Destination = { target: DeliveryRecord['target']; url: string };

/** The first round of the delivery that notifies of a job's end. */
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
    ...NEW_ROUND,
    round: FIRST_ROUND,
    attempts: [],
    createdAt: new Date(),
  };
}

/** How an undelivered event stands once its job is deleted. */
export const CANCELLED = { state: 'cancelled', reason: JOB_DELETED, nextAttemptAt: null } as const;

/** The id of the one event a job has; it is the `webhook-id`. */
export const deliveryIdOf = (jobId: string) => `msg_${jobId.replaceAll('-', '')}`;
