import type { UpstreamGenerator } from '../port.ts';
import type { Generators } from '../registry.ts';

/** The generators, with another one in place of each upstream: always the same one, because callers compare them. */
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
