import './context.ts';
import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import type { ApiDeps } from '../../api/deps.ts';
import { type Config, loadConfig } from '../../config.ts';
import { openService } from './open-service.ts';

export { type Service, startWorker } from './open-service.ts';

/** Configuration for the running servers, with a database, buckets and task queues of its own. */
export function ownConfig(overrides: Record<string, string> = {}): Config {
  const id = randomUUID().slice(0, 8);
  const env = inject('env');
  return loadConfig({
    ...env,
    MONGODB_DATABASE: `test_${id}`,
    S3_INPUTS_BUCKET: `inputs-${id}`,
    S3_RESULTS_BUCKET: `results-${id}`,
    UPLOAD_URL: `${env.S3_ENDPOINT}/results-${id}`,
    TASK_QUEUE_PREFIX: `${id}-`,
    // On a machine busy with other test files, an acceptance takes longer than in production.
    ACCEPT_TIMEOUT_MS: '30000',
    ...overrides,
  });
}

/** Starts the service with a database, buckets and task queues of its own. */
export function startService(overrides: { env?: Record<string, string>; api?: Partial<ApiDeps> } = {}) {
  return openService(ownConfig(overrides.env), overrides.api);
}
