import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { withDeadline } from '../../process/process.ts';
import { cachedFor } from '../../process/readiness.ts';
import { METRICS, type MetricDefinition, type ProcessName } from './definitions.ts';
import type { GaugeSample, Metrics } from './metrics.ts';

/** The metrics of one process, in a registry of their own. */
export interface MetricsRegistry extends Metrics {
  readonly contentType: string;
  /** All metrics in Prometheus' text format, at most a second old. */
  page(): Promise<string>;
}

/** Time for the gauges to be read. Prometheus waits 10 s for a page. */
const READ_MS = 4000;
const CACHE_MS = 1000;

/** Gauges that prom-client names like counters, which promtool rejects. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

type Read = () => readonly GaugeSample[] | Promise<readonly GaugeSample[]>;

export interface RegistryOptions {
  /** Adds the metrics of Node: processor time, memory, event loop, garbage collection. */
  withRuntime?: boolean;
  /** How long a page is reused, in milliseconds. */
  cacheMs?: number;
}

export function createMetrics(
  process: ProcessName,
  { withRuntime = false, cacheMs = CACHE_MS }: RegistryOptions = {},
): MetricsRegistry {
  const registry = new Registry();
  const all = new Map<string, Metric>(
    Object.entries<MetricDefinition>(METRICS)
      .filter(([, { of }]) => of.includes(process))
      .map(([name, definition]) => [name, create(name, definition, registry)]),
  );
  const reads: Read[] = [];
  if (withRuntime) {
    collectDefaultMetrics({ register: registry });
    for (const name of MISNAMED) registry.removeSingleMetric(name);
  }

  async function refresh(): Promise<void> {
    const read = await Promise.all(reads.map((one) => inTime(one)));
    for (const metric of all.values()) if (metric instanceof Gauge) clear(metric);
    for (const { name, labels, value } of read.flat()) {
      const metric = all.get(name);
      if (metric instanceof Gauge) metric.set({ ...labels }, value);
    }
  }

  return {
    contentType: registry.contentType,
    page: cachedFor(cacheMs, async () => {
      await refresh();
      return registry.metrics();
    }),
    add(name, labels, amount = 1) {
      const metric = all.get(name);
      if (metric instanceof Counter) metric.inc({ ...labels }, amount);
    },
    observe(name, labels, value) {
      const metric = all.get(name);
      if (metric instanceof Histogram) metric.observe({ ...labels }, value);
    },
    sample: (read) => void reads.push(read),
  };
}

function create(name: string, definition: MetricDefinition, registry: Registry): Metric {
  const { type, help, labels, buckets = [] } = definition;
  const options = { name, help, labelNames: [...labels], registers: [registry] };
  if (type === 'histogram') return new Histogram({ ...options, buckets: [...buckets] });
  return type === 'counter' ? new Counter(options) : new Gauge(options);
}

/** After `reset` alone, a gauge without labels would read 0. */
function clear(metric: Gauge): void {
  metric.reset();
  metric.remove({});
}

/** Returns nothing if the read fails or takes too long: an old value would look like a new one. */
async function inTime(read: Read): Promise<readonly GaugeSample[]> {
  return withDeadline(READ_MS, Promise.resolve().then(read)).catch(() => []);
}
