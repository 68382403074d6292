import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Logger } from 'pino';
import { type ActivityDeps, createActivities } from '../activities/activities.ts';
import type { Config } from '../config.ts';
import { egressWarning } from '../egress/allow-origins.ts';
import { createEgress } from '../egress/egress.ts';
import { createLogger } from '../runtime/process.ts';
import { withResources } from '../runtime/resources.ts';
import { openMongo } from '../stores/mongo/client.ts';
import { createMongoStores } from '../stores/mongo/stores.ts';
import { createImageStore } from '../stores/s3/images.ts';
import { loadWorkflowBundle } from './bundle.ts';
import { createWorkers, openConnection, type Workers } from './create-workers.ts';
import { createWorkflowProbe } from './workflow-probe.ts';

/** Dependencies to use in place of the real ones, and settings that have no environment variable. */
export interface WorkerOverrides extends Partial<ActivityDeps> {
  interceptors?: ActivityInterceptorsFactory[];
  logger?: Logger;
}

/**
 * Opens the worker with everything it needs, except what `overrides` has: that belongs to the caller, who closes it.
 * Disposing closes what was opened, and so does a failure.
 */
export function openWorker(config: Config, overrides: WorkerOverrides = {}): Promise<Workers> {
  return withResources(async (keep) => {
    const { temporal, egress, worker } = config;
    const { interceptors = [], logger = createLogger(config.log, 'worker'), ...given } = overrides;
    const warning = egressWarning(egress.allowOrigins);
    if (warning !== undefined) logger.warn(warning);
    const stores = given.stores ?? createMongoStores(keep(openMongo(config.mongo)));
    const images = given.images ?? keep(createImageStore(config.s3));
    const { connection } = keep(await openConnection(temporal));
    const activities = createActivities({
      ...given,
      stores,
      images,
      egress: given.egress ?? keep(createEgress(egress)),
      webhooks: { slots: worker.webhookSlots, ...given.webhooks },
      workflows: given.workflows ?? createWorkflowProbe(connection, temporal.namespace),
    });
    const workflowBundle = await loadWorkflowBundle(temporal.workflowBundle);
    const workers = keep(
      await createWorkers({ config, connection, activities, workflowBundle, interceptors }),
    );
    return { run: workers.run };
  });
}
