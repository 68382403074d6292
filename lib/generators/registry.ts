import { readFileSync } from 'node:fs';
import { createSharedLimit, type Limit } from '../admission/limit.ts';
import type { Plan } from '../catalog/catalog.ts';
import { createEgress, type Egress } from '../egress/egress.ts';
import { ConfigError, unusable } from '../process/config/config.ts';
import type { GeneratorName } from '../process/config/generator-environment.ts';
import type { GeneratorConfig } from '../process/config/generators.ts';
import { createBfl } from './adapters/bfl.ts';
import { createComfyui } from './adapters/comfyui.ts';
import { createFal } from './adapters/fal.ts';
import { createGemini } from './adapters/gemini.ts';
import { createOpenai } from './adapters/openai.ts';
import { createReplicate } from './adapters/replicate.ts';
import { type Breaker, createBreaker } from './breaker.ts';
import type { FindUpstream } from './open-calls.ts';
import type { Generator, LocalName, UpstreamGenerator } from './port.ts';
import { TIMING, type UpstreamTiming } from './upstream/client.ts';

/** The configured generators of one process. */
export interface Generators extends AsyncDisposable {
  /**
   * The generators that perform the tool, in failover order. If none does, the built-in generator
   * alone.
   */
  forPlan(plan: Pick<Plan, 'group' | 'classical'>): readonly Generator[];
  /** A configured upstream, even if it performs only other tools. */
  find: FindUpstream;
  /** All configured upstreams. */
  readonly upstreams: readonly UpstreamGenerator[];
  breakerOf(generator: UpstreamGenerator): Breaker;
  /** Limits the calls in progress. Owners: accounts. */
  limitOf(generator: UpstreamGenerator): Limit;
  readonly failoverOnRefused: boolean;
}

/** More than a result may have. */
const MAX_WIRE_BYTES = 48 * 1024 * 1024;

type UpstreamName = Exclude<GeneratorName, LocalName>;

/**
 * Every upstream by its name, with an egress of its own. Besides public https, it may call the
 * origin of the base URL, and download results from origins that the operator has named.
 */
const UPSTREAMS: Readonly<
  Record<UpstreamName, (config: GeneratorConfig, egress: Egress, timing: UpstreamTiming) => UpstreamGenerator>
> = {
  gemini: (config, egress, timing) => createGemini(config.gemini, egress, timing),
  openai: (config, egress, timing) => createOpenai(config.openai, egress, timing),
  bfl: (config, egress, timing) => createBfl(config.bfl, egress, timing),
  replicate: (config, egress, timing) => createReplicate(config.replicate, egress, timing),
  fal: (config, egress, timing) => createFal(config.fal, egress, timing),
  comfyui: (config, egress, timing) =>
    createComfyui({ ...config.comfyui, graph: readGraph(config.comfyui.graphFile) }, egress, timing),
};

/** @throws ConfigError when a key or an address is missing */
export function createGenerators(config: GeneratorConfig, timing = TIMING): Generators {
  if (config.missing.length > 0) throw new ConfigError(unusable(config.missing));
  const egresses: Egress[] = [];
  const limits = new Map<string, Limit>();
  const open = (name: GeneratorName): Generator => {
    if (name === 'preview') return { kind: 'local', name };
    const { baseUrl, concurrency, resultOrigins } = config[name];
    const egress = createEgress({
      allowOrigins: [new URL(baseUrl).origin],
      fetchOrigins: resultOrigins,
      maxWireBytes: MAX_WIRE_BYTES,
    });
    egresses.push(egress);
    limits.set(name, createSharedLimit(concurrency));
    return UPSTREAMS[name](config, egress, timing);
  };
  const generators = new Map(config.used.map((name) => [name, open(name)]));
  const upstreams = [...generators.values()].filter((generator) => generator.kind === 'upstream');
  const breakers = new Map([...generators.keys()].map((name) => [name as string, createBreaker()]));
  return {
    failoverOnRefused: config.failoverOnRefused,
    upstreams,
    forPlan({ group, classical }) {
      const order = (config.orders.get(group) ?? []).flatMap((name) => generators.get(name) ?? []);
      // The built-in generator cannot perform such a tool: it would return the photo with a
      // caption.
      const performing = order.filter(({ name }) => name !== 'preview' || classical);
      return performing.length > 0 ? performing : order;
    },
    find: (name) => upstreams.find((upstream) => upstream.name === name),
    breakerOf: ({ name }) => breakers.get(name) ?? createBreaker(),
    limitOf: ({ name }) => limits.get(name) ?? createSharedLimit(1),
    async [Symbol.asyncDispose]() {
      await Promise.all(egresses.map((egress) => egress[Symbol.asyncDispose]()));
    },
  };
}

function readGraph(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ConfigError(unusable([`COMFYUI_GRAPH: ${file} cannot be read`]), { cause });
  }
}
