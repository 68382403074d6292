import type { ApiDeps } from '../../api/deps.ts';
import { openService, type Service } from './open-service.ts';
import { ownConfig } from './own-config.ts';
import { untilNoneRuns } from './workflows.ts';

export type { Service } from './open-service.ts';

/** Starts the service with a database, buckets and task queues of its own. */
export async function startService(
  overrides: { env?: Record<string, string>; api?: Partial<ApiDeps> } = {},
): Promise<Service> {
  const service = await openService(ownConfig(overrides.env), overrides.api);
  return {
    ...service,
    /** Disposing lets workflows close that have nothing else to do, because they stay open without a worker. */
    async startWorker(parts) {
      const worker = await service.startWorker(parts);
      return {
        async [Symbol.asyncDispose]() {
          await untilNoneRuns(service);
          await worker[Symbol.asyncDispose]();
        },
      };
    },
  };
}
