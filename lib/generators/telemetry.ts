import { gauge, type Metrics, sampleLimits } from '../telemetry/metrics/metrics.ts';
import { ATTRIBUTES } from '../telemetry/tracing/attributes.ts';
import { inClientSpan } from '../telemetry/tracing/client-spans.ts';
import type { Tracing } from '../telemetry/tracing/tracing.ts';
import { GeneratorError } from './errors.ts';
import type { UpstreamGenerator } from './port.ts';
import type { Generators } from './registry.ts';

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

/**
 * The generators, each of whose calls to an upstream has a span. Neither the image nor the
 * instruction is recorded.
 */
export const traceGenerators = (generators: Generators, { tracer }: Pick<Tracing, 'tracer'>): Generators =>
  mapUpstreams(generators, (upstream) => {
    const { name, model } = upstream;
    const attributes = { [ATTRIBUTES.generator]: name, [ATTRIBUTES.model]: model };
    return {
      ...upstream,
      render: (request) =>
        inClientSpan(tracer, { name: `generate ${name}`, attributes }, async (span) => {
          const rendered = await upstream.render(request);
          if (rendered.costUsd !== null) span.setAttribute(ATTRIBUTES.costUsd, rendered.costUsd);
          return rendered;
        }),
    };
  });

/**
 * Replaces each upstream of the generators, always by the same object, because callers compare
 * upstreams.
 */
export function mapUpstreams(
  generators: Generators,
  replace: (upstream: UpstreamGenerator) => UpstreamGenerator,
): Generators {
  const replaced = new Map<UpstreamGenerator, UpstreamGenerator>();
  function replacementOf(upstream: UpstreamGenerator): UpstreamGenerator {
    const known = replaced.get(upstream) ?? replace(upstream);
    replaced.set(upstream, known);
    return known;
  }
  return {
    ...generators,
    forPlan: (plan) =>
      generators.forPlan(plan).map((each) => (each.kind === 'local' ? each : replacementOf(each))),
    find(name) {
      const found = generators.find(name);
      return found && replacementOf(found);
    },
  };
}

/**
 * Has read for each scrape which upstreams are paused, and how many calls to each are in progress
 * and wait.
 */
export function sampleUpstreams(
  metrics: Metrics,
  { upstreams, breakerOf, limitOf }: Pick<Generators, 'upstreams' | 'breakerOf' | 'limitOf'>,
): void {
  // The counters exist from the first scrape on, so that a first failure shows as an increase.
  for (const { name: generator } of upstreams)
    for (const outcome of ['completed', 'misconfigured'] as const)
      metrics.add('imagejob_upstream_calls_total', { generator, outcome }, 0);
  sampleLimits(
    metrics,
    Object.fromEntries(upstreams.map((upstream) => [`upstream-${upstream.name}`, limitOf(upstream)])),
  );
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
