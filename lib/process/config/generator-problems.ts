import {
  GENERATOR_NAMES,
  type GeneratorEnvironment,
  type GeneratorName,
  isKnown,
  ORDER_OF_GROUP,
  usedIn,
} from './generator-environment.ts';
import { listOf } from './list.ts';
import { originProblems } from './origins.ts';

/** Problems with the settings of generators that the schema cannot express, a line each. */
export function generatorProblems(env: Partial<GeneratorEnvironment>): string[] {
  const unknown = (['GENERATORS', ...Object.values(ORDER_OF_GROUP)] as const).flatMap((variable) =>
    listOf(env[variable])
      .filter((name) => !isKnown(name))
      .map(
        (name) =>
          `${variable}: unknown generator ${JSON.stringify(name)}; known: ${GENERATOR_NAMES.join(', ')}`,
      ),
  );
  const isEmpty = env.GENERATORS !== undefined && listOf(env.GENERATORS).length === 0;
  const none = isEmpty ? ['GENERATORS: names no generator'] : [];
  const malformed = (['REPLICATE_INPUT', 'FAL_INPUT'] as const)
    .filter((variable) => !isJsonObject(env[variable]))
    .map((variable) => `${variable}: must be a JSON object`);
  const origins = RESULT_ORIGINS.flatMap((variable) => originProblems(variable, env[variable]));
  return [...none, ...unknown, ...unencrypted(env), ...origins, ...malformed];
}

/** Variables with the origins of results, of the upstreams that name the address of a result. */
const RESULT_ORIGINS = ['BFL_RESULT_ORIGINS', 'REPLICATE_RESULT_ORIGINS', 'FAL_RESULT_ORIGINS'] as const;

/** Keys and images must not travel in the clear, except to this machine or within a private network. */
function unencrypted(env: Partial<GeneratorEnvironment>): string[] {
  const bases = (['GEMINI', 'OPENAI', 'BFL', 'REPLICATE', 'FAL', 'COMFYUI'] as const).map(
    (prefix) => `${prefix}_BASE_URL` as const,
  );
  return [...bases, ...RESULT_ORIGINS]
    .filter((variable) => listOf(env[variable]).some(isPublicHttp))
    .map((variable) => `${variable}: must be https, because its host is not on a private network`);
}

const isPublicHttp = (url: string) => url.startsWith('http://') && !isPrivateHost(url);

/** Loopback and private addresses, and names that are not public: without a dot, or under a private suffix. */
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
