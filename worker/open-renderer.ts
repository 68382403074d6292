import { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import {
  createRenderActivities,
  createRenderLimits,
  type RenderDeps,
} from '../activities/jobs/render-job.ts';
import { createGenerators } from '../lib/generators/registry.ts';
import { meterGenerators, sampleUpstreams, traceGenerators } from '../lib/generators/telemetry.ts';
import type { Config } from '../lib/process/config/config.ts';
import { createLogger } from '../lib/process/log.ts';
import { withResources } from '../lib/process/resources.ts';
import { openMongoStores } from '../lib/stores/mongo/stores.ts';
import { createImageStore } from '../lib/stores/s3/images.ts';
import { type Metrics, sampleLimits } from '../lib/telemetry/metrics/metrics.ts';
import { openMetrics } from '../lib/telemetry/metrics/open-metrics.ts';
import { openTracing } from '../lib/telemetry/tracing/open-tracing.ts';
import { createRenderer, openConnection, type Workers } from './create-workers.ts';
import { openImageTasks } from './image-tasks.ts';
import { sampleImageTasks } from './metrics.ts';
import { openProbes, reportDraining } from './probes.ts';

/** Dependencies that replace the real ones. */
export interface RendererOverrides extends Partial<RenderDeps> {
  logger?: Logger;
  metrics?: Metrics;
  /** URL of the metrics of Temporal's SDK. */
  sdkMetrics?: string | undefined;
}

/** Like `openWorker`, for a renderer. */
export function openRenderer(config: Config, overrides: RendererOverrides = {}): Promise<Workers> {
  return withResources(async (keep) => {
    const { logger = createLogger(config.log, 'renderer'), sdkMetrics: otherPage, ...given } = overrides;
    const context = { name: 'renderer', logger, keep } as const;
    const tracing = await openTracing(config.tracing, context);
    const metrics = given.metrics ?? (await openMetrics(config.probes, { ...context, otherPage }));
    const generators = given.generators ?? keep(createGenerators(config.generators));
    const stores = given.stores ?? (await openMongoStores(config.mongo, { metrics, keep }));
    const images = given.images ?? keep(createImageStore(config.s3));
    const imageTasks = given.imageTasks ?? keep(await openImageTasks(config.worker));
    const traced = tracing === undefined ? generators : traceGenerators(generators, tracing);
    const limits = createRenderLimits(config.worker.renderSlots, config.worker.imagesInMemory);
    const draining = new AbortController();
    const activities = createRenderActivities({
      draining: draining.signal,
      unavailableMs: config.worker.renderUnavailableMs,
      ...given,
      limits,
      generators: meterGenerators(traced, metrics),
      stores,
      images,
      imageTasks,
    });
    const { connection } = keep(await openConnection(config.temporal));
    const client = new Client({ connection, namespace: config.temporal.namespace });
    sampleUpstreams(metrics, generators);
    sampleLimits(metrics, { ...limits });
    sampleImageTasks(metrics, imageTasks);
    const renderer = keep(await createRenderer({ config, connection, tracing, activities }));
    const readiness = await openProbes(config.probes, { stores, images, client, metrics, logger, keep });
    const drain = () => {
      readiness.drain();
      draining.abort();
    };
    return reportDraining(renderer, { ...readiness, drain });
  });
}
