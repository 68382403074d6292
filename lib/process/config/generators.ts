import {
  GENERATOR_NAMES,
  type GeneratorEnvironment,
  type GeneratorName,
  generatorsIn,
  isKnown,
  ORDER_OF_GROUP,
  usedIn,
} from './generator-environment.ts';
import { entriesOf, originProblems, originsOf, withoutSlash } from './variables.ts';

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

/** Problems with the settings of generators that the schema cannot express, a line each. */
export function generatorProblems(env: Partial<GeneratorEnvironment>): string[] {
  const unknown = (['GENERATORS', ...Object.values(ORDER_OF_GROUP)] as const).flatMap((variable) =>
    entriesOf(env[variable])
      .filter((name) => !isKnown(name))
      .map(
        (name) =>
          `${variable}: unknown generator ${JSON.stringify(name)}; known: ${GENERATOR_NAMES.join(', ')}`,
      ),
  );
  const isEmpty = env.GENERATORS !== undefined && entriesOf(env.GENERATORS).length === 0;
  const none = isEmpty ? ['GENERATORS: names no generator'] : [];
  const malformed = (['REPLICATE_INPUT', 'FAL_INPUT'] as const)
    .filter((variable) => !isJsonObject(env[variable]))
    .map((variable) => `${variable}: must be a JSON object`);
  const origins = RESULT_ORIGINS.flatMap((variable) => originProblems(variable, env[variable]));
  return [...none, ...unknown, ...unencrypted(env), ...origins, ...malformed];
}

/** Variables with the origins of results, for upstreams that name the address of a result. */
const RESULT_ORIGINS = ['BFL_RESULT_ORIGINS', 'REPLICATE_RESULT_ORIGINS', 'FAL_RESULT_ORIGINS'] as const;

/**
 * Keys and images must not travel in the clear, except to this machine or within a private network.
 */
function unencrypted(env: Partial<GeneratorEnvironment>): string[] {
  const bases = (['GEMINI', 'OPENAI', 'BFL', 'REPLICATE', 'FAL', 'COMFYUI'] as const).map(
    (prefix) => `${prefix}_BASE_URL` as const,
  );
  return [...bases, ...RESULT_ORIGINS]
    .filter((variable) => entriesOf(env[variable]).some(isPublicHttp))
    .map((variable) => `${variable}: must be https, because its host is not on a private network`);
}

const isPublicHttp = (url: string) => url.startsWith('http://') && !isPrivateHost(url);

/**
 * Loopback and private addresses, and names that are not public: without a dot, or under a private
 * suffix.
 */
function isPrivateHost(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host))
    return /^(?:127|10)\.|^192\.168\.|^172\.(?:1[6-9]|2\d|3[01])\./.test(host);
  if (host.startsWith('[')) return host === '[::1]' || /^\[f[cd]/.test(host);
  return !host.includes('.') || /\.(?:internal|local|localhost|lan|home\.arpa)$/.test(host);
}

function isJsonObject(text = '{}'): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** What a renderer needs when a generator is named. Other processes do not get the keys. */
const REQUIRED_BY_GENERATOR: Readonly<Record<GeneratorName, readonly (keyof GeneratorEnvironment)[]>> = {
  preview: [],
  gemini: ['GEMINI_API_KEY', 'GEMINI_BASE_URL'],
  openai: ['OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  bfl: ['BFL_API_KEY', 'BFL_BASE_URL'],
  replicate: ['REPLICATE_API_TOKEN', 'REPLICATE_BASE_URL'],
  fal: ['FAL_KEY', 'FAL_BASE_URL'],
  comfyui: ['COMFYUI_BASE_URL', 'COMFYUI_GRAPH'],
};

/**
 * What a renderer lacks, a line each.
 * @param unread variables whose files have no usable secret, which is reported elsewhere
 */
export function missingSettings(
  env: GeneratorEnvironment,
  unread: ReadonlySet<string> = new Set(),
): string[] {
  return usedIn(env).flatMap((name) =>
    REQUIRED_BY_GENERATOR[name]
      .filter((variable) => env[variable] === '' && !unread.has(variable))
      .map((variable) => `${variable}: must be set, because ${name} is one of the generators`),
  );
}
