import type { Logger } from 'pino';
import type { Config } from '../../process/config/config.ts';
import { openProbeServer } from '../../process/probe-server.ts';
import type { Resources } from '../../process/resources.ts';
import type { ProcessName } from './definitions.ts';
import { type Metrics, NO_METRICS } from './metrics.ts';
import { createMetrics, type MetricsRegistry } from './registry.ts';

const OTHER_PAGE_MS = 2000;

export interface MetricsOptions {
  name: ProcessName;
  /** URL of a page in the same format, which is served with the metrics. */
  otherPage?: string | undefined;
  logger: Pick<Logger, 'info'>;
  keep: Resources['use'];
}

/**
 * Opens the metrics of a process and serves them at /metrics; without METRICS_PORT nothing is
 * measured.
 */
export async function openMetrics(
  { host, metricsPort: port }: Config['probes'],
  { name, otherPage, logger, keep }: MetricsOptions,
): Promise<Metrics> {
  if (port === undefined) return NO_METRICS;
  const metrics = createMetrics(name, { withRuntime: true });
  const pages = { '/metrics': () => pageOf(metrics, otherPage) };
  const { origin } = keep(await openProbeServer({ host, port, variable: 'METRICS_PORT' }, pages));
  logger.info({ url: `${origin}/metrics` }, 'The metrics are served.');
  return metrics;
}

async function pageOf(metrics: MetricsRegistry, otherPage: string | undefined) {
  const pages = await Promise.all([metrics.page(), otherPage === undefined ? '' : read(otherPage)]);
  return { status: 200, type: metrics.contentType, body: pages.join('\n') };
}

/** Empty if it cannot be read: the metrics of this process are served without it. */
async function read(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(OTHER_PAGE_MS) });
    return response.ok ? await response.text() : '';
  } catch {
    return '';
  }
}
