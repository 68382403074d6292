/** Attempts kept of one delivery; a round has 8, and the oldest go first. */
export const KEPT_ATTEMPTS = 50;

/** How every round of a delivery begins. */
export const NEW_ROUND = { state: 'pending', reason: null, tries: 0, nextAttemptAt: null } as const;

/** The error of an attempt until its outcome is recorded. */
export const NO_OUTCOME = 'No outcome is known: the request is under way, or the worker stopped during it.';

export const JOB_DELETED = 'The job was deleted.';

/** How an undelivered event stands once its job is deleted. */
export const CANCELLED = { state: 'cancelled', reason: JOB_DELETED, nextAttemptAt: null } as const;

/** An event that is planned when its job is deleted already: it is not sent, and no URL is kept. */
export const ofDeletedJob = <T extends object>(delivery: T) => ({ ...delivery, ...CANCELLED, url: null });

/** The id of the one event a job has; it is the `webhook-id`. */
export const deliveryIdOf = (jobId: string) => `msg_${jobId.replaceAll('-', '')}`;
