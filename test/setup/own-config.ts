import './context.ts';
import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { type Config, loadConfig } from '../../lib/process/config/config.ts';
import { checkAfterFile } from './leaks.ts';
import { leftRunning } from './workflows.ts';

/** Variables that name buckets of an installation of its own: two cannot share them. */
export const ownBuckets = (id: string) => ({
  S3_INPUTS_BUCKET: `inputs-${id}`,
  S3_RESULTS_BUCKET: `results-${id}`,
  UPLOAD_URL: `${inject('env').S3_ENDPOINT}/results-${id}`,
});

/** Configuration for the running servers, with a database, buckets and task queues of its own. */
export function ownConfig(overrides: Record<string, string> = {}): Config {
  const id = randomUUID().slice(0, 8);
  const env = inject('env');
  const config = loadConfig({
    ...env,
    MONGODB_DATABASE: `test_${id}`,
    ...ownBuckets(id),
    TASK_QUEUE_PREFIX: `${id}-`,
    // On a machine busy with other test files, an acceptance takes longer than in production.
    ACCEPT_TIMEOUT_MS: '30000',
    ...overrides,
  });
  const { temporal } = loadConfig(env);
  checkAfterFile(() => leftRunning(temporal, config.temporal.taskQueuePrefix));
  return config;
}
