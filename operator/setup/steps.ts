import { setupDatabase } from '../../stores/mongo/setup.ts';
import { setupBuckets } from '../../stores/s3/setup.ts';
import type { Deps } from '../deps.ts';
import { Failure, sentenceOf } from '../failure.ts';
import { registerSearchAttributes } from './register-search-attributes.ts';
import { ensureRetentionSchedule } from './retention-schedule.ts';

/** One step of the set-up. Idempotent, and may run while the service is running. */
export interface SetupStep {
  /** Its name in the output. */
  name: string;
  run(deps: Deps): Promise<void>;
}

/** Independent of each other; they run concurrently. */
export const SETUP_STEPS: readonly SetupStep[] = [
  { name: 'indexes', run: ({ config }) => setupDatabase(config().mongo) },
  { name: 'buckets', run: ({ config }) => setupBuckets(config().s3) },
  { name: 'search_attributes', run: ({ config }) => registerSearchAttributes(config().temporal) },
  { name: 'retention_schedule', run: ({ config }) => ensureRetentionSchedule(config().temporal) },
];

/** Runs all steps, even when one fails. @throws Failure that names every failed step */
export async function runSetup(steps: readonly SetupStep[], deps: Deps): Promise<void> {
  // First, so that an invalid environment is reported once and not by every step.
  deps.config();
  const results = await Promise.allSettled(steps.map((step) => step.run(deps)));
  const problems = results.flatMap((result, index) =>
    result.status === 'rejected' ? [`\n  ${steps[index]?.name}: ${sentenceOf(result.reason)}`] : [],
  );
  if (problems.length > 0) throw new Failure(`Setup is not complete:${problems.join('')}`);
}
