import { type Static, type TProperties, Type } from 'typebox';
import { Value } from 'typebox/value';
import {
  API_ENVIRONMENT,
  EGRESS_ENVIRONMENT,
  groupApi,
  groupEgress,
  trustProxyProblems,
  withApiPort,
} from './api.ts';
import { GENERATOR_ENVIRONMENT } from './generator-environment.ts';
import { generatorProblems, groupGenerators, missingSettings } from './generators.ts';
import {
  groupLog,
  groupProbes,
  groupTracing,
  LOG_ENVIRONMENT,
  logProblems,
  PROCESS_ENVIRONMENT,
  TRACING_ENVIRONMENT,
  tracingProblems,
} from './processes.ts';
import { readSecretFiles } from './secret-files.ts';
import {
  groupMongo,
  groupS3,
  groupTemporal,
  MONGO_ENVIRONMENT,
  S3_ENVIRONMENT,
  serverProblems,
  TEMPORAL_ENVIRONMENT,
} from './servers.ts';
import { entriesOf, originProblems } from './variables.ts';
import { groupWorker, WORKER_ENVIRONMENT } from './workers.ts';

/**
 * Every environment variable of the service. A variable without a default is required. A test
 * compares `.env.example` with this schema.
 */
export const Environment = Type.Object({
  ...MONGO_ENVIRONMENT,
  ...TEMPORAL_ENVIRONMENT,
  ...S3_ENVIRONMENT,
  ...API_ENVIRONMENT,
  ...GENERATOR_ENVIRONMENT,
  ...EGRESS_ENVIRONMENT,
  ...WORKER_ENVIRONMENT,
  ...PROCESS_ENVIRONMENT,
  ...LOG_ENVIRONMENT,
  ...TRACING_ENVIRONMENT,
});
type Environment = Static<typeof Environment>;

/** The validated configuration, grouped and frozen. URLs have no trailing slash. */
export type Config = ReturnType<typeof group>;

/** Thrown by {@link loadConfig}; the message lists every invalid variable, one per line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The message of a ConfigError. @param problems a line each, which begins with the variable */
export const unusable = (problems: readonly string[]) =>
  `The environment is not usable:\n  ${problems.join('\n  ')}`;

/** The environment of this process. */
export const environment = (): NodeJS.ProcessEnv => process.env;

/**
 * Validates the environment, and reads the secrets that are in files. An empty string counts as
 * not set.
 * @throws ConfigError
 */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const { value, problems } = read(env);
  if (problems.length > 0) throw new ConfigError(unusable(problems));
  return group(value);
}

/**
 * All problems that keep the service from running in this environment, a line each. They include
 * settings that only a renderer needs.
 */
export function environmentProblems(env: NodeJS.ProcessEnv): string[] {
  const { value, unread, problems } = read(env);
  return [...problems, ...missingSettings(value, unread)];
}

/** Whether the environment sets the port of the API. An empty string counts as not set. */
export const isPortGiven = ({ API_PORT, PORT }: NodeJS.ProcessEnv) => Boolean(API_PORT || PORT);

interface Read {
  value: Environment;
  /**
   * Variables whose files have no usable secret. `problems` says so, so they are not reported as
   * missing.
   */
  unread: ReadonlySet<string>;
  problems: string[];
}

function read(given: NodeJS.ProcessEnv): Read {
  const { values, unread, problems: secretProblems } = readSecretFiles(given);
  const env: NodeJS.ProcessEnv = { ...given, ...values };
  const set = Object.fromEntries(
    Object.keys(Environment.properties)
      .filter((name) => env[name] !== undefined && env[name] !== '')
      .map((name) => [name, env[name]]),
  );
  const converted = Value.Convert(Environment, { ...set }) as Partial<Environment>;
  const value = Value.Default(Environment, withApiPort(converted)) as Environment;
  const problems = [
    ...schemaProblems(Environment, value, set, unread),
    ...secretProblems,
    ...serverProblems(value, unread),
    ...generatorProblems(value),
    ...logProblems(value),
    ...tracingProblems(value),
    ...originProblems('EGRESS_ALLOW_ORIGINS', value.EGRESS_ALLOW_ORIGINS),
    ...trustProxyProblems(entriesOf(value.TRUST_PROXY)),
  ];
  return { value, unread, problems };
}

function group(env: Environment) {
  const generators = groupGenerators(env);
  return Object.freeze({
    mongo: groupMongo(env),
    temporal: groupTemporal(env, env.WORKFLOW_BUNDLE),
    s3: groupS3(env),
    api: groupApi(env),
    keyPrefix: env.KEY_PREFIX,
    generators,
    egress: groupEgress(env),
    worker: groupWorker(env, generators.places),
    shutdownGraceMs: env.SHUTDOWN_GRACE_MS,
    drainMs: env.DRAIN_MS,
    probes: groupProbes(env),
    log: groupLog(env),
    tracing: groupTracing(env),
  });
}

/**
 * The keywords of a variable's schema that say what it may be. `expected` is for a pattern, in
 * words.
 */
interface Allowed {
  type?: unknown;
  enum?: unknown;
  minimum?: unknown;
  maximum?: unknown;
  pattern?: unknown;
  expected?: unknown;
}

/**
 * Problems of each variable, a line each. It checks one variable at a time, because a check of the
 * whole object reports only the first few errors.
 * @param env the variables after conversion, with defaults
 * @param set the variables as they are set
 * @param unread variables whose files have no usable secret, which is reported elsewhere
 */
function schemaProblems(
  { properties, required }: { properties: TProperties; required: readonly string[] },
  env: Readonly<Record<string, unknown>>,
  set: Readonly<Record<string, string | undefined>>,
  unread: ReadonlySet<string>,
): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const value = env[name];
    if (value === undefined)
      return required.includes(name) && !unread.has(name) ? [`${name}: must be set`] : [];
    if (Value.Check(schema, value) && isWritten(schema, set[name])) return [];
    return [`${name}: ${explain(schema, set[name] ?? value)}`];
  });
}

/**
 * Whether a number is written in digits: the conversion also takes `true`, `1e3` and `0x10`, and
 * cuts off fractions.
 */
function isWritten({ type }: Allowed, text: string | undefined): boolean {
  if (text === undefined) return true;
  if (type === 'integer') return /^\d+$/.test(text);
  return type !== 'number' || /^\d+(?:\.\d+)?$/.test(text);
}

/** What a value must be. The value itself is quoted only where it cannot be a secret. */
function explain(allowed: Allowed, value: unknown): string {
  const not = `, not ${JSON.stringify(value)}`;
  if (Array.isArray(allowed.enum)) return `must be one of ${allowed.enum.join(', ')}${not}`;
  if (allowed.type === 'boolean') return `must be true or false${not}`;
  if (allowed.type === 'integer') return `must be a whole number ${rangeOf(allowed)}${not}`;
  if (allowed.type === 'number') return `must be a number ${rangeOf(allowed)}${not}`;
  if (allowed.expected !== undefined) return `must be ${allowed.expected}`;
  const isUrl = String(allowed.pattern).includes('https?://');
  return isUrl ? 'must begin with http:// or https://' : `must match ${allowed.pattern}`;
}

const rangeOf = ({ minimum, maximum }: Allowed): string =>
  maximum === undefined ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
