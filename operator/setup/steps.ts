import type { Config } from '../../lib/process/config/config.ts';
import { ensureSchedules } from '../../lib/process/temporal-client.ts';
import { schedulesOf } from '../../lib/protocol/schedules.ts';
import { setupDatabase } from '../../lib/stores/mongo/setup.ts';
import { createImageStore } from '../../lib/stores/s3/images.ts';
import { setupBuckets } from '../../lib/stores/s3/setup.ts';
import type { Stores } from '../../lib/stores/stores.ts';
import type { Deps } from '../deps.ts';
import { CommandFailed, sentenceOf } from '../errors.ts';
import { identifyBuckets } from './identify-buckets.ts';
import { registerSearchAttributes } from './register-search-attributes.ts';

/** One step of the set-up. Idempotent, and may run while the service is running. */
export interface SetupStep {
  /** Its name in the output. */
  name: string;
  run(deps: Deps, options: SetupOptions): Promise<void>;
}

export interface SetupOptions {
  /** Installation id that MongoDB and the buckets shall have; see identifyBuckets. */
  adopt?: string;
}

/** Independent of each other; they run concurrently. */
export const SETUP_STEPS: readonly SetupStep[] = [
  { name: 'indexes', run: ({ config }) => setupDatabase(config().mongo) },
  { name: 'buckets', run: (deps, { adopt }) => setupImages(deps.config().s3, deps.stores(), adopt) },
  { name: 'search_attributes', run: ({ config }) => registerSearchAttributes(config().temporal) },
  { name: 'schedules', run: setUpSchedules },
];

/** Runs all steps, even when one fails. @throws CommandFailed that names every failed step */
export async function runSetup(
  steps: readonly SetupStep[],
  deps: Deps,
  options: SetupOptions = {},
): Promise<void> {
  // First, so that an invalid environment is reported once and not by every step.
  deps.config();
  const results = await Promise.allSettled(steps.map((step) => step.run(deps, options)));
  const problems = results.flatMap((result, index) =>
    result.status === 'rejected' ? [`\n  ${steps[index]?.name}: ${sentenceOf(result.reason)}`] : [],
  );
  if (problems.length > 0) throw new CommandFailed(`Setup is not complete:${problems.join('')}`);
}

function setUpSchedules({ config, temporal }: Deps): Promise<void> {
  const { reconcileIntervalMs } = config().worker;
  return ensureSchedules(temporal(), schedulesOf(config().temporal.taskQueuePrefix, reconcileIntervalMs));
}

/**
 * Creates the buckets, makes sure that they and MongoDB belong to one installation, and sets their
 * policies.
 */
export async function setupImages(s3: Config['s3'], stores: Stores, adopt?: string): Promise<void> {
  await using images = createImageStore(s3);
  const names = { inputs: s3.inputsBucket, results: s3.resultsBucket };
  await setupBuckets(s3, () => identifyBuckets({ stores, images, names, adopt }));
}
