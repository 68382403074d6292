import { BUDGETS } from '../contract/limits.ts';
import type { AccountRecord } from './records.ts';

/** Jobs of an account that failed by what was sent, since the first of them in an hour. */
export type Failures = NonNullable<AccountRecord['failures']>;

/** With one more of now. Once the hour is over, the next failure begins another one. */
export function withOneMore(failures: Failures | undefined, now: Date): Failures {
  return failures !== undefined && countedFor(failures, now) > 0
    ? { ...failures, jobs: failures.jobs + 1 }
    : { since: now, jobs: 1 };
}

/**
 * Milliseconds for which they still count: 0 once the hour is over, no more than an hour if clocks differ, and 0 if they
 * differ by more than that.
 */
export function countedFor({ since }: Failures, now: Date): number {
  const { failuresWindowMs } = BUDGETS;
  const left = since.getTime() + failuresWindowMs - now.getTime();
  return left > 2 * failuresWindowMs ? 0 : Math.min(Math.max(0, left), failuresWindowMs);
}
