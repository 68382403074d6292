import { Client, type ScheduleOptions } from '@temporalio/client';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Logger } from 'pino';
import { type ActivityDeps, createActivities } from '../activities/activities.ts';
import { createDeliveryLimits } from '../activities/webhooks/delivery-limits.ts';
import { type WebhookPolicy, webhookPolicy } from '../activities/webhooks/policy.ts';
import { egressWarning } from '../lib/egress/allow-origins.ts';
import { createEgress } from '../lib/egress/egress.ts';
import type { Config } from '../lib/process/config/config.ts';
import { createLogger } from '../lib/process/log.ts';
import { withResources } from '../lib/process/resources.ts';
import { ensureSchedules } from '../lib/process/temporal-client.ts';
import { schedulesOf } from '../lib/protocol/schedules.ts';
import { taskQueues } from '../lib/protocol/task-queues.ts';
import type { ImageStore } from '../lib/stores/image-store.ts';
import { openMongoStores } from '../lib/stores/mongo/stores.ts';
import { createImageStore } from '../lib/stores/s3/images.ts';
import { type Metrics, sampleLimits } from '../lib/telemetry/metrics/metrics.ts';
import { openMetrics } from '../lib/telemetry/metrics/open-metrics.ts';
import { traceWebhooks } from '../lib/telemetry/tracing/client-spans.ts';
import { openTracing } from '../lib/telemetry/tracing/open-tracing.ts';
import { loadWorkflowBundle } from './bundle.ts';
import { createWorkers, openConnection, type Workers } from './create-workers.ts';
import { sampleQueues, sampleStores } from './metrics.ts';
import { openProbes, reportDraining } from './probes.ts';
import { createWorkflowProbe } from './workflow-probe.ts';

/** Dependencies that replace the real ones, and settings that have no environment variable. */
export interface WorkerOverrides
  extends Partial<Omit<ActivityDeps, 'onReconcileStopped' | 'webhooks' | 'deliveryLimits'>> {
  webhooks?: Partial<WebhookPolicy>;
  interceptors?: ActivityInterceptorsFactory[];
  images?: ImageStore;
  logger?: Logger;
  metrics?: Metrics;
  /** Schedules to ensure at the start; by default the schedules of the service. */
  schedules?: readonly ScheduleOptions[];
  /** URL of the metrics of Temporal's SDK. */
  sdkMetrics?: string | undefined;
}

/**
 * Opens the worker with everything it needs. What `overrides` has is not opened: the caller owns
 * and closes it. Disposing closes everything that was opened, and so does a failure.
 */
export function openWorker(config: Config, overrides: WorkerOverrides = {}): Promise<Workers> {
  return withResources(async (keep) => {
    const { temporal, egress, worker } = config;
    const {
      interceptors = [],
      logger = createLogger(config.log, 'worker'),
      sdkMetrics: otherPage,
      ...given
    } = overrides;
    const warning = egressWarning(egress.allowOrigins);
    if (warning !== undefined) logger.warn(warning);
    const context = { name: 'worker', logger, keep } as const;
    const tracing = await openTracing(config.tracing, context);
    const metrics = given.metrics ?? (await openMetrics(config.probes, { ...context, otherPage }));
    const stores = given.stores ?? (await openMongoStores(config.mongo, { metrics, keep }));
    const images = given.images ?? keep(createImageStore(config.s3));
    const { connection } = keep(await openConnection(temporal));
    const client = new Client({ connection, namespace: temporal.namespace });
    sampleStores(metrics, stores);
    sampleQueues(metrics, client, taskQueues(temporal.taskQueuePrefix));
    const webhooksEgress = given.egress ?? keep(createEgress(egress));
    const webhooks = webhookPolicy({ slots: worker.webhookSlots, ...given.webhooks });
    const deliveryLimits = createDeliveryLimits(webhooks);
    const { all, unproven, slow, receivers } = deliveryLimits.usage;
    sampleLimits(metrics, {
      webhooks: all,
      'webhooks-unproven': unproven,
      'webhooks-slow': slow,
      'webhooks-receivers': receivers,
    });
    metrics.add('imagejob_reconcile_stopped_total', {}, 0);
    const activities = createActivities({
      ...given,
      onReconcileStopped(problem) {
        metrics.add('imagejob_reconcile_stopped_total', {});
        logger.error(problem);
      },
      stores,
      images,
      egress: tracing === undefined ? webhooksEgress : traceWebhooks(webhooksEgress, tracing),
      webhooks,
      deliveryLimits,
      workflows: given.workflows ?? createWorkflowProbe(client),
    });
    const workflowBundle = await loadWorkflowBundle(temporal.workflowBundle, tracing !== undefined);
    const workers = keep(
      await createWorkers({ config, connection, tracing, activities, workflowBundle, interceptors }),
    );
    const { schedules = schedulesOf(temporal.taskQueuePrefix, worker.reconcileIntervalMs) } = given;
    if (worker.queues !== 'webhooks') await ensureSchedules(client, schedules);
    const readiness = await openProbes(config.probes, { stores, images, client, metrics, logger, keep });
    return reportDraining(workers, readiness);
  });
}
