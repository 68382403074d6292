import { FAILED_JOBS } from '../contract/limits.ts';
import type { GeneratorCall } from './generator-call.ts';
import type { AccountRecord, JobFailure } from './records.ts';

/** Number of an account's failed jobs that count, in the hour that starts at `since`. */
export type FailureCount = NonNullable<AccountRecord['failures']>;

/**
 * Whether a failed job counts towards the limit of its account. It counts if its input is at fault,
 * or if an upstream that may charge for it has refused or failed it. It does not count if the
 * upstream charges nothing, or if this service failed: it lost a response, cut off a call, or has a
 * wrong configuration.
 */
export const countsTowardsLimit = (
  { clientFault = false }: JobFailure,
  calls: readonly Pick<GeneratorCall, 'mayBeCharged' | 'outcome'>[],
): boolean => clientFault || calls.some(({ mayBeCharged, outcome }) => mayBeCharged && isOfUpstream(outcome));

const isOfUpstream = (outcome: GeneratorCall['outcome']) =>
  outcome === 'refused' || outcome === 'unavailable' || outcome === 'completed';

/** Counts one more failure at `now`; starts a new hour if the last one is over. */
export function countOneMore(failures: FailureCount | undefined, now: Date): FailureCount {
  return failures !== undefined && remainingMs(failures, now) > 0
    ? { ...failures, jobs: failures.jobs + 1 }
    : { since: now, jobs: 1 };
}

/**
 * Milliseconds until the hour is over, or 0. If `since` is in the future because clocks differ, it
 * is at most an hour, and 0 if they differ by more than an hour.
 */
export function remainingMs({ since }: FailureCount, now: Date): number {
  const { windowMs } = FAILED_JOBS;
  const left = since.getTime() + windowMs - now.getTime();
  return left > 2 * windowMs ? 0 : Math.min(Math.max(0, left), windowMs);
}
