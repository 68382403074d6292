import { gauge, type Metrics } from '../../telemetry/metrics/metrics.ts';
import { GeneratorError } from '../errors.ts';
import type { UpstreamGenerator } from '../port.ts';
import type { Generators } from '../registry.ts';
import { mapUpstreams } from './map-upstreams.ts';

/** The generators, with every call to an upstream timed. */
export const meterGenerators = (generators: Generators, metrics: Metrics): Generators =>
  mapUpstreams(generators, (upstream) => meterUpstream(upstream, metrics));

function meterUpstream(generator: UpstreamGenerator, metrics: Metrics): UpstreamGenerator {
  return {
    ...generator,
    async render(request) {
      const start = performance.now();
      let outcome = 'completed';
      try {
        return await generator.render(request);
      } catch (error) {
        outcome = error instanceof GeneratorError ? error.failure.kind : 'aborted';
        throw error;
      } finally {
        const seconds = (performance.now() - start) / 1000;
        metrics.observe('imagejob_upstream_seconds', { generator: generator.name, outcome }, seconds);
      }
    },
  };
}

/** Every scrape says which upstreams are paused, and how many calls to each are in progress and wait. */
export function sampleUpstreams(
  metrics: Metrics,
  { upstreams, breakerOf, limitOf }: Pick<Generators, 'upstreams' | 'breakerOf' | 'limitOf'>,
): void {
  // From the first scrape on, so that a first failure shows as an increase.
  for (const { name: generator } of upstreams)
    for (const outcome of ['completed', 'misconfigured'] as const)
      metrics.add('imagejob_upstream_calls_total', { generator, outcome }, 0);
  metrics.sample(() =>
    upstreams.flatMap((upstream) => {
      const generator = upstream.name;
      const { held, waiting } = limitOf(upstream);
      return [
        gauge('imagejob_upstream_paused', { generator }, breakerOf(upstream).waitMs() > 0 ? 1 : 0),
        gauge('imagejob_upstream_calls_in_progress', { generator }, held),
        gauge('imagejob_upstream_calls_waiting', { generator }, waiting),
      ];
    }),
  );
}
