import type { Config } from '../config.ts';
import { egressWarning } from '../egress/allow-origins.ts';
import { createEgress } from '../egress/egress.ts';
import { taskQueues } from '../protocol/task-queues.ts';
import { createLogger } from '../runtime/process.ts';
import { type Resources, withResources } from '../runtime/resources.ts';
import { openTemporal } from '../runtime/temporal-client.ts';
import { openMongo } from '../stores/mongo/client.ts';
import { createMongoStores } from '../stores/mongo/stores.ts';
import { createImageStore } from '../stores/s3/images.ts';
import { watchApiSwitch } from './api-switch.ts';
import { buildApp, PREFIX } from './app.ts';
import { createBudgets } from './budgets/budgets.ts';
import type { ApiDeps } from './deps.ts';
import type { TypedApp } from './http/operation.ts';
import { createRateLimits } from './http/rate-limit.ts';
import { createTemporalGateway, type JobGateway } from './jobs/gateway.ts';
import { createVoids } from './jobs/voids.ts';

/** Dependencies to use in place of the real ones. */
export type ApiOverrides = Partial<Omit<ApiDeps, 'config'>>;

export interface Api extends AsyncDisposable {
  /** Does not listen yet. */
  app: TypedApp;
  deps: ApiDeps;
}

/**
 * Opens the API with everything it needs, except what `overrides` has: that belongs to the caller, who closes it.
 * Disposing closes what was opened, and so does a failure.
 */
export function openApi(config: Config, overrides: ApiOverrides = {}): Promise<Api> {
  return withResources(async (keep) => {
    const deps = await openDeps(config, overrides, keep);
    return { app: keep(buildApp(deps)), deps };
  });
}

async function openDeps(config: Config, overrides: ApiOverrides, keep: Resources['use']): Promise<ApiDeps> {
  const { allowOrigins } = config.egress;
  const logger = overrides.logger ?? createLogger(config.log, 'api');
  const warning = egressWarning(allowOrigins);
  if (warning !== undefined) logger.warn(warning);
  const stores = overrides.stores ?? createMongoStores(keep(openMongo(config.mongo)));
  return {
    config,
    logger,
    stores,
    images: overrides.images ?? keep(createImageStore(config.s3)),
    egress: overrides.egress ?? keep(createEgress({ allowOrigins })),
    jobGateway: overrides.jobGateway ?? openGateway(config.temporal, keep),
    voids: overrides.voids ?? keep(createVoids(stores.jobs, logger)),
    apiSwitch: overrides.apiSwitch ?? keep(await watchApiSwitch(stores.settings)),
    rateLimits: overrides.rateLimits ?? createRateLimits({ prefix: `${PREFIX}/v1` }),
    budgets: overrides.budgets ?? createBudgets(config.api),
  };
}

function openGateway(config: Config['temporal'], keep: Resources['use']): JobGateway {
  const { client } = keep(openTemporal(config));
  return createTemporalGateway(client, taskQueues(config.taskQueuePrefix));
}
