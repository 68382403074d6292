import {
  type GeneratorEnvironment,
  type GeneratorName,
  generatorsIn,
  ORDER_OF_GROUP,
  usedIn,
} from './generator-environment.ts';
import { missingSettings } from './generator-problems.ts';
import { originsOf } from './origins.ts';
import { withoutSlash } from './without-slash.ts';

const GROUPS = Object.entries(ORDER_OF_GROUP);

/** The validated settings of the generators, grouped. */
export function groupGenerators(env: GeneratorEnvironment) {
  const order = (names: string) => Object.freeze(generatorsIn(names));
  const used = usedIn(env);
  const upstreams = upstreamsOf(env);
  const placesOf = (name: GeneratorName) => (name === 'preview' ? 0 : upstreams[name].concurrency);
  return Object.freeze({
    /** The failover order of each group of tools. */
    orders: new Map(GROUPS.map(([group, variable]) => [group, order(env[variable] || env.GENERATORS)])),
    used: Object.freeze(used),
    /** Concurrent calls of one renderer to all upstreams. */
    places: used.reduce((sum, name) => sum + placesOf(name), 0),
    /** What a renderer lacks, a line each. */
    missing: Object.freeze(missingSettings(env)),
    failoverOnRefused: env.FAILOVER_ON_REFUSED,
    ...upstreams,
  });
}

const upstreamsOf = (env: GeneratorEnvironment) => ({
  gemini: upstream(env.GEMINI_BASE_URL, env.GEMINI_CONCURRENCY, {
    apiKey: env.GEMINI_API_KEY,
    model: env.GEMINI_MODEL,
  }),
  openai: upstream(env.OPENAI_BASE_URL, env.OPENAI_CONCURRENCY, {
    apiKey: env.OPENAI_API_KEY,
    model: env.OPENAI_MODEL,
    quality: env.OPENAI_QUALITY,
  }),
  bfl: upstream(env.BFL_BASE_URL, env.BFL_CONCURRENCY, {
    apiKey: env.BFL_API_KEY,
    model: env.BFL_MODEL,
    resultOrigins: originsOf(env.BFL_RESULT_ORIGINS),
  }),
  replicate: upstream(env.REPLICATE_BASE_URL, env.REPLICATE_CONCURRENCY, {
    apiKey: env.REPLICATE_API_TOKEN,
    model: env.REPLICATE_MODEL,
    imageField: env.REPLICATE_IMAGE_FIELD,
    input: env.REPLICATE_INPUT,
    resultOrigins: originsOf(env.REPLICATE_RESULT_ORIGINS),
  }),
  fal: upstream(env.FAL_BASE_URL, env.FAL_CONCURRENCY, {
    apiKey: env.FAL_KEY,
    model: env.FAL_MODEL,
    imageField: env.FAL_IMAGE_FIELD,
    input: env.FAL_INPUT,
    resultOrigins: originsOf(env.FAL_RESULT_ORIGINS),
  }),
  comfyui: upstream(env.COMFYUI_BASE_URL, env.COMFYUI_CONCURRENCY, {
    graphFile: env.COMFYUI_GRAPH,
    outputNode: env.COMFYUI_OUTPUT_NODE,
  }),
});

interface Upstream {
  baseUrl: string;
  concurrency: number;
  /** Origins besides that of the base URL, from which results are downloaded. */
  resultOrigins: readonly string[];
}

const upstream = <T extends object>(baseUrl: string, concurrency: number, rest: T): Readonly<Upstream & T> =>
  Object.freeze({ baseUrl: withoutSlash(baseUrl), concurrency, resultOrigins: [], ...rest });

export type GeneratorConfig = ReturnType<typeof groupGenerators>;
