import { ATTRIBUTES } from '../../telemetry/tracing/attributes.ts';
import { inClientSpan } from '../../telemetry/tracing/in-span.ts';
import type { Tracing } from '../../telemetry/tracing/tracing.ts';
import type { Generators } from '../registry.ts';
import { mapUpstreams } from './map-upstreams.ts';

/** The generators, each of whose calls to an upstream has a span. Neither the image nor the instruction is recorded. */
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
