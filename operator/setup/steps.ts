import { setupDatabase } from '../../stores/mongo/setup.ts';
import { setupBuckets } from '../../stores/s3/setup.ts';
import type { Deps } from '../deps.ts';
import { Failure, sentenceOf } from '../failure.ts';
import { ensureRetentionSchedule } from './retention-schedule.ts';
import { registerSearchAttributes } from './search-attributes.ts';

/** One thing the servers need before the service runs. Safe to repeat, also beside a running service. */
export interface SetupStep {
  /** As the answer names it. */
  name: string;
  run(deps: Deps): Promise<void>;
}

/** None needs another to be done first: they run side by side. */
export const SETUP_STEPS: readonly SetupStep[] = [
  { name: 'indexes', run: ({ config }) => setupDatabase(config().mongo) },
  { name: 'buckets', run: ({ config }) => setupBuckets(config().s3) },
  { name: 'search_attributes', run: ({ config }) => registerSearchAttributes(config().temporal) },
  { name: 'retention_schedule', run: ({ config }) => ensureRetentionSchedule(config().temporal) },
];

/** Runs all steps to their end. @throws Failure that names every step that failed */
export async function runSteps(steps: readonly SetupStep[], deps: Deps): Promise<void> {
  // Ahead of the steps: what is wrong with the environment is said once.
  deps.config();
  const results = await Promise.allSettled(steps.map((step) => step.run(deps)));
  const problems = results.flatMap((result, index) =>
    result.status === 'rejected' ? [`\n  ${steps[index]?.name}: ${sentenceOf(result.reason)}`] : [],
  );
  if (problems.length > 0) throw new Failure(`Setup is not complete:${problems.join('')}`);
}
