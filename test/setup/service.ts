import './context.ts';
import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import type { ApiDeps } from '../../api/deps.ts';
import { type Config, loadConfig } from '../../config.ts';
import { openService } from './open-service.ts';

export { type Service, startWorker } from './open-service.ts';

/** The running servers' environment with a database, buckets and task queues of this file's own. */
export function ownConfig(overrides: Record<string, string> = {}): Config {
  const own = randomUUID().slice(0, 8);
  const env = inject('env');
  return loadConfig({
    ...env,
    MONGODB_DATABASE: `test_${own}`,
    S3_INPUTS_BUCKET: `inputs-${own}`,
    S3_RESULTS_BUCKET: `results-${own}`,
    UPLOAD_URL: `${env.S3_ENDPOINT}/results-${own}`,
    TASK_QUEUE_PREFIX: `${own}-`,
    // A machine busy with other test files takes longer to accept than a service may let its clients wait.
    ACCEPT_TIMEOUT_MS: '30000',
    ...overrides,
  });
}

/** The service with a database, buckets and task queues of this file's own. */
export function startService(overrides: { env?: Record<string, string>; api?: Partial<ApiDeps> } = {}) {
  return openService(ownConfig(overrides.env), overrides.api);
}
