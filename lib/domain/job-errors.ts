/** The `error` of a failed job. @param reason a sentence for the client */
export const refundedError = (reason: string) => `${reason} The charge was refunded.`;

/** The reason if neither the image nor the generator gave one that a client may see. */
export const NOT_GENERATED = 'The image could not be generated.';

/** The fields recorded on a cancelled job. */
export const CANCELLED_JOB = {
  error: refundedError('The job was cancelled.'),
  failureReason: 'cancelled',
} as const;

/** The fields recorded on a job when its time is up. */
export const TIMED_OUT_JOB = { error: refundedError(NOT_GENERATED), failureReason: 'unavailable' } as const;
