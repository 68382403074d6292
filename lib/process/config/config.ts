import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { API_ENVIRONMENT, groupApi, withApiPort } from './api-environment.ts';
import { EGRESS_ENVIRONMENT, groupEgress } from './egress-environment.ts';
import { GENERATOR_ENVIRONMENT } from './generator-environment.ts';
import { generatorProblems, missingSettings } from './generator-problems.ts';
import { groupGenerators } from './generators.ts';
import { listOf } from './list.ts';
import { groupLog, LOG_ENVIRONMENT, logProblems } from './log-environment.ts';
import { groupMongo, MONGO_ENVIRONMENT } from './mongo-environment.ts';
import { originProblems } from './origins.ts';
import { groupProbes, PROCESS_ENVIRONMENT } from './process-environment.ts';
import { groupS3, S3_ENVIRONMENT } from './s3-environment.ts';
import { schemaProblems } from './schema-problems.ts';
import { readSecretFiles } from './secret-files.ts';
import { serverProblems } from './server-problems.ts';
import { groupTemporal, TEMPORAL_ENVIRONMENT } from './temporal-environment.ts';
import { groupTracing, TRACING_ENVIRONMENT, tracingProblems } from './tracing-environment.ts';
import { trustProxyProblems } from './trust-proxy.ts';
import { groupWorker, WORKER_ENVIRONMENT } from './worker-environment.ts';

/**
 * Every environment variable of the service. Those without a default are required. A test compares `.env.example` with
 * this schema.
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
 * Validates the environment, and reads the secrets that it has as files. An empty string counts as not set.
 * @throws ConfigError
 */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const { value, problems } = read(env);
  if (problems.length > 0) throw new ConfigError(unusable(problems));
  return group(value);
}

/** All that keeps the service from running in this environment, a line each; also what only a renderer needs. */
export function environmentProblems(env: NodeJS.ProcessEnv): string[] {
  const { value, unread, problems } = read(env);
  return [...problems, ...missingSettings(value, unread)];
}

/** Whether the environment sets the port of the API. An empty string counts as not set. */
export const isPortGiven = ({ API_PORT, PORT }: NodeJS.ProcessEnv) => Boolean(API_PORT || PORT);

interface Read {
  value: Environment;
  /** Variables whose files have no usable secret; `problems` says so. They are not reported as missing as well. */
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
    ...trustProxyProblems(listOf(value.TRUST_PROXY)),
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
