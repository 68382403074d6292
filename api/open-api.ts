import { egressWarning } from '../lib/egress/allow-origins.ts';
import { createEgress } from '../lib/egress/egress.ts';
import type { Config } from '../lib/process/config/config.ts';
import { createLogger } from '../lib/process/log.ts';
import { createReadiness, logDependencies } from '../lib/process/readiness.ts';
import { type Resources, withResources } from '../lib/process/resources.ts';
import { openTemporal } from '../lib/process/temporal-client.ts';
import { taskQueues } from '../lib/protocol/task-queues.ts';
import type { JobFeed } from '../lib/stores/job-feed.ts';
import { openJobFeed } from '../lib/stores/mongo/job-feed.ts';
import { openMongoStores } from '../lib/stores/mongo/stores.ts';
import { createImageStore } from '../lib/stores/s3/images.ts';
import { sampleReadiness } from '../lib/telemetry/metrics/metrics.ts';
import { openMetrics } from '../lib/telemetry/metrics/open-metrics.ts';
import { openTracing } from '../lib/telemetry/tracing/open-tracing.ts';
import type { Tracing } from '../lib/telemetry/tracing/tracing.ts';
import { createApiLimits } from './admission/limits.ts';
import { watchApiSwitch, watchToolSwitch } from './api-switch.ts';
import { buildApp, PREFIX } from './app.ts';
import type { ApiDeps } from './deps.ts';
import type { TypedApp } from './http/operation.ts';
import { createRateLimits } from './http/rate-limit.ts';
import { createTemporalGateway } from './jobs/gateway.ts';
import { createVoids } from './jobs/voids.ts';
import { sampleApiLimits, sampleWaiters, timeAcceptances } from './metrics.ts';
import { createUsualTimes } from './waiting/usual-times.ts';
import { createWaiters } from './waiting/waiters.ts';
import { createWebhookGateway } from './webhooks/gateway.ts';

/** Dependencies to use in place of the real ones; `jobFeed` is what the waiters listen to. */
export type ApiOverrides = Partial<Omit<ApiDeps, 'config'> & { jobFeed: JobFeed }>;

export interface Api extends AsyncDisposable {
  /** Does not listen yet. */
  app: TypedApp;
  deps: ApiDeps;
}

/**
 * Opens the API with everything it needs, except what `overrides` has: that belongs to the caller,
 * who closes it. Disposing closes what was opened, and so does a failure.
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
  const context = { name: 'api', logger, keep } as const;
  const tracing = overrides.tracing ?? (await openTracing(config.tracing, context));
  const metrics = overrides.metrics ?? (await openMetrics(config.probes, context));
  const stores = overrides.stores ?? (await openMongoStores(config.mongo, { metrics, keep }));
  const images = overrides.images ?? keep(createImageStore(config.s3));
  const { jobGateway, webhookGateway } = openGateways(config.temporal, overrides, tracing, keep);
  const limits = overrides.limits ?? createApiLimits(config.api);
  const checks = { mongodb: stores.settings.apiEnabled, s3: images.check, temporal: jobGateway.check };
  const readiness = overrides.readiness ?? createReadiness(checks, logDependencies(logger));
  const failed = (err: unknown) =>
    logger.warn({ err }, 'The stream of ended jobs failed. It is opened again.');
  const jobFeed = overrides.jobFeed ?? keep(openJobFeed(config.mongo, failed));
  const waiters = overrides.waiters ?? createWaiters(jobFeed);
  sampleReadiness(metrics, readiness);
  sampleApiLimits(metrics, limits, waiters);
  sampleWaiters(metrics, waiters);
  return {
    config,
    logger,
    tracing,
    metrics,
    readiness,
    stores,
    images,
    egress: overrides.egress ?? keep(createEgress({ allowOrigins })),
    jobGateway: timeAcceptances(jobGateway, metrics),
    webhookGateway,
    voids: overrides.voids ?? keep(createVoids(stores.jobs, logger)),
    apiSwitch: overrides.apiSwitch ?? keep(await watchApiSwitch(stores.settings)),
    toolSwitch: overrides.toolSwitch ?? keep(await watchToolSwitch(stores.settings)),
    rateLimits: overrides.rateLimits ?? createRateLimits({ prefix: `${PREFIX}/v1` }),
    limits,
    waiters,
    usualTimes: overrides.usualTimes ?? createUsualTimes(),
  };
}

type Gateways = Pick<ApiDeps, 'jobGateway' | 'webhookGateway'>;

function openGateways(
  config: Config['temporal'],
  { jobGateway, webhookGateway }: Partial<Gateways>,
  tracing: Tracing | undefined,
  keep: Resources['use'],
): Gateways {
  if (jobGateway !== undefined && webhookGateway !== undefined) return { jobGateway, webhookGateway };
  const { client } = keep(openTemporal(config, tracing === undefined ? [] : [tracing.temporal.client]));
  const queues = taskQueues(config.taskQueuePrefix);
  return {
    jobGateway: jobGateway ?? createTemporalGateway(client, queues),
    webhookGateway: webhookGateway ?? createWebhookGateway(client, queues),
  };
}
