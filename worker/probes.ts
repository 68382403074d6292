import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Config } from '../lib/process/config/config.ts';
import { openHealth } from '../lib/process/probe-server.ts';
import { createReadiness, logDependencies, type Readiness } from '../lib/process/readiness.ts';
import type { Resources } from '../lib/process/resources.ts';
import { checkTemporal } from '../lib/process/temporal-client.ts';
import type { ImageStore } from '../lib/stores/image-store.ts';
import type { Stores } from '../lib/stores/stores.ts';
import type { Metrics } from '../lib/telemetry/metrics/metrics.ts';
import { sampleReadiness } from '../lib/telemetry/metrics/metrics.ts';
import type { Workers } from './create-workers.ts';

export interface ProbeDeps {
  stores: Stores;
  images: Pick<ImageStore, 'check'>;
  client: Client;
  metrics: Metrics;
  logger: Logger;
  keep: Resources['use'];
}

/**
 * Checks what a process of Temporal workers depends on, and serves the result on HEALTH_PORT, if
 * that is set. Must be opened after the workers: until then the process is not ready.
 */
export async function openProbes(
  { host, healthPort: port }: Config['probes'],
  { stores, images, client, metrics, logger, keep }: ProbeDeps,
): Promise<Readiness> {
  const checks = {
    mongodb: stores.settings.apiEnabled,
    s3: images.check,
    temporal: () => checkTemporal(client),
  };
  const readiness = createReadiness(checks, logDependencies(logger));
  sampleReadiness(metrics, readiness);
  if (port === undefined) return readiness;
  const { origin } = keep(await openHealth({ host, port, variable: 'HEALTH_PORT' }, readiness));
  logger.info({ url: `${origin}/readyz` }, 'The health is served.');
  return readiness;
}

/** The workers. From the signal on, the process reports that it is draining. */
export const reportDraining = ({ run }: Workers, readiness: Readiness): Pick<Workers, 'run'> => ({
  run(signal) {
    signal.addEventListener('abort', readiness.drain, { once: true });
    if (signal.aborted) readiness.drain();
    return run(signal).finally(() => signal.removeEventListener('abort', readiness.drain));
  },
});
