import type { MetricName, Metrics } from '../../lib/telemetry/metrics/metrics.ts';
import { createMetrics } from '../../lib/telemetry/metrics/registry.ts';

/** What one line of a page says. */
const LINE = /^(\w+)(?:\{(.*)\})? (\S+)$/;

/** The values of a metric in a page, by their labels as written there: `{}` without labels. */
export function valuesIn(page: string, name: string): Record<string, number> {
  return Object.fromEntries(
    page.split('\n').flatMap((line) => {
      const [, found, labels = '', value] = LINE.exec(line) ?? [];
      return found === name ? [[`{${labels}}`, Number(value)]] : [];
    }),
  );
}

/** The metrics of all three processes, for a test that runs them in one. */
export function recordMetrics() {
  const registries = (['api', 'worker', 'renderer'] as const).map((process) =>
    createMetrics(process, { cacheMs: 0 }),
  );
  const metrics: Metrics = {
    add(...counted) {
      for (const registry of registries) registry.add(...counted);
    },
    observe(...observed) {
      for (const registry of registries) registry.observe(...observed);
    },
    sample(read) {
      for (const registry of registries) registry.sample(read);
    },
  };
  const pages = () => Promise.all(registries.map((registry) => registry.page()));
  return {
    metrics,
    pages,
    /** See {@link valuesIn}. `of` is the name in the page: `imagejob_render_seconds_count`, for instance. */
    async values(of: MetricName | `${MetricName}_count`): Promise<Record<string, number>> {
      return Object.assign({}, ...(await pages()).map((page) => valuesIn(page, of)));
    },
  };
}
