import { createRequire } from 'node:module';
import { availableParallelism, totalmem } from 'node:os';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { explain } from './config/explain.ts';
import { GENERATOR_ENVIRONMENT } from './config/generator-environment.ts';
import { generatorProblems, missingSettings } from './config/generator-problems.ts';
import { groupGenerators } from './config/generators.ts';
import { originOf, originProblems } from './config/origins.ts';
import { readSecretFiles } from './config/secret-files.ts';
import { serverProblems } from './config/server-problems.ts';
import { groupTracing, TRACING_ENVIRONMENT, tracingProblems } from './config/tracing-environment.ts';
import { trustProxyProblems } from './config/trust-proxy.ts';

const Text = (description: string, value?: string) =>
  Type.String({ minLength: 1, description, ...(value === undefined ? {} : { default: value }) });
/** An address has no default: a process must not connect to, or advertise, another one than was meant. */
const Address = (description: string, example: string, form: { pattern: string; expected: string }) =>
  Type.String({ ...form, description, examples: [example] });
const Url = (description: string, example: string) =>
  Type.String({ pattern: '^https?://[^/]+', description, examples: [example] });
const Count = (description: string, value: number, minimum = 1) =>
  Type.Integer({ minimum, description, default: value });
const Port = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535, description }));
const Optional = (description: string) => Type.String({ description, default: '' });
const Flag = (description: string, value: boolean) => Type.Boolean({ description, default: value });

/**
 * Every environment variable of the service. Those without a default are required. A test compares `.env.example` with
 * this schema.
 */
export const Environment = Type.Object({
  MONGODB_URL: Address(
    'Connection string of a MongoDB replica set, with any of its options.',
    'mongodb://127.0.0.1:27017/?replicaSet=rs0',
    {
      pattern: '^mongodb(\\+srv)?://[^/]+',
      expected: 'a connection string that begins with mongodb:// or mongodb+srv://',
    },
  ),
  MONGODB_TLS_CA_FILE: Optional(
    "PEM file of the CA certificates trusted for MongoDB; implies TLS; empty uses the system's.",
  ),
  MONGODB_TLS_CERT_KEY_FILE: Optional(
    'PEM file of the client certificate for MongoDB and its private key (mTLS); implies TLS.',
  ),
  MONGODB_DATABASE: Text('Name of the MongoDB database.', 'image_job_api'),
  TEMPORAL_ADDRESS: Address('host:port of the Temporal frontend.', '127.0.0.1:7233', {
    pattern: '^[^/\\s]+:[0-9]{1,5}$',
    expected: 'host:port',
  }),
  TEMPORAL_NAMESPACE: Text('Temporal namespace.', 'default'),
  TEMPORAL_API_KEY: Optional('API key for Temporal; implies TLS.'),
  TEMPORAL_TLS: Flag(
    'Connect to Temporal over TLS; implied by TEMPORAL_API_KEY and the TEMPORAL_TLS_* below.',
    false,
  ),
  TEMPORAL_TLS_CA_FILE: Optional(
    "PEM file of the CA certificates trusted for Temporal; empty uses the system's.",
  ),
  TEMPORAL_TLS_CERT_FILE: Optional(
    'PEM file of the client certificate for Temporal (mTLS); requires TEMPORAL_TLS_KEY_FILE.',
  ),
  TEMPORAL_TLS_KEY_FILE: Optional(
    'PEM file of the private key of the client certificate; requires TEMPORAL_TLS_CERT_FILE.',
  ),
  TEMPORAL_TLS_SERVER_NAME: Optional(
    "Server name expected in Temporal's certificate; empty uses the host of TEMPORAL_ADDRESS.",
  ),
  TASK_QUEUE_PREFIX: Type.String({ description: 'Prefix of the three task queue names.', default: '' }),
  S3_ENDPOINT: Url('Endpoint of the S3-compatible store.', 'http://127.0.0.1:7070'),
  S3_REGION: Text('Region in the request signatures.', 'us-east-1'),
  S3_PATH_STYLE: Flag('Name the bucket in the path of a request, not in its host.', true),
  S3_ACCESS_KEY_ID: Optional(
    'Access key of the store; without both keys, the credential chain of the AWS SDK is used.',
  ),
  S3_SECRET_ACCESS_KEY: Optional('Secret key of the store.'),
  S3_MANAGE_BUCKETS: Flag(
    'Whether setup creates the buckets and sets their policies; otherwise it checks that they exist.',
    true,
  ),
  S3_INPUTS_BUCKET: Text('Private bucket of input images.', 'inputs'),
  S3_RESULTS_BUCKET: Text('Bucket of results: anonymous reads of objects, no anonymous listing.', 'results'),
  UPLOAD_URL: Url(
    'Public base URL of results; must serve the results bucket.',
    'http://127.0.0.1:7070/results',
  ),
  RESULTS_MAX_AGE_S: Count(
    'Seconds that browsers and CDNs may cache a result (Cache-Control max-age).',
    86_400,
    0,
  ),
  API_HOST: Text('Address the API listens on.', '127.0.0.1'),
  API_PORT: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    description: 'Port the API listens on; 0 picks a free port.',
    default: 8080,
  }),
  PORT: Port('Used when API_PORT is not set; hosting platforms set it.'),
  PUBLIC_URL: Url(
    'Public base URL of the API, including /api; used in the documentation and in doc_url.',
    'http://127.0.0.1:8080/api',
  ),
  TRUST_PROXY: Type.String({
    description:
      'Proxies whose X-Forwarded-For is trusted: comma-separated addresses or CIDR ranges, or a hop count.',
    default: '',
  }),
  KEY_PREFIX: Type.String({
    pattern: '^[a-z][a-z0-9_]{1,15}$',
    expected: '2 to 16 characters of a-z, 0-9 and _, the first one a letter',
    description: 'Prefix of API keys; changing it invalidates the keys issued before.',
    default: 'ija_',
  }),
  ACCEPT_TIMEOUT_MS: Count(
    'Milliseconds that POST /v1/jobs waits for acceptance before it responds with 500.',
    12_000,
    1000,
  ),
  BYTES_IN_FLIGHT_MB: Count(
    'Megabytes of request bodies and fetched images in flight in the API; 0 uses a quarter of the memory.',
    0,
    0,
  ),
  UNPAID_MB_PER_MINUTE: Count(
    'Megabytes per minute the API fetches from image_url for one key by requests that create no job.',
    512,
  ),
  ...GENERATOR_ENVIRONMENT,
  WATERMARK_TEXT: Type.String({
    // The first character has to be one of the font, so that there is something to draw.
    pattern: '^[!-~\\u00a1-\\u017f\\u0388-\\u03ce\\u0400-\\u0482][^\\n]{0,39}$',
    expected: '1 to 40 Latin, Greek or Cyrillic characters on one line',
    description:
      'Words of the watermark on results of accounts without a paid pack, at most 40 Latin, Greek or Cyrillic characters.',
    default: 'Image Job API',
  }),
  EGRESS_ALLOW_ORIGINS: Type.String({
    description: 'Comma-separated exact origins allowed in addition to public https. For tests and demos.',
    default: '',
  }),
  RENDER_SLOTS: Count(
    'Concurrent renders per renderer, also those that wait for a model; 0 suits the *_CONCURRENCY and IMAGE_PROCESSES.',
    0,
    0,
  ),
  IMAGE_PROCESSES: Count(
    'Image processes per renderer, each with one image at a time; 0 uses one fewer than there are CPUs.',
    0,
    0,
  ),
  RENDER_MEMORY_MB: Count(
    'Megabytes of estimated memory for the images in progress in a renderer; one image needs up to 1,000.',
    2048,
    256,
  ),
  WORKER_QUEUES: Type.Enum(['all', 'jobs', 'webhooks'], {
    description: 'Task queues of a worker process: jobs, webhooks or all, which is both.',
    default: 'all',
  }),
  WEBHOOK_SLOTS: Count('Concurrent webhook deliveries per worker.', 100),
  WORKFLOW_BUNDLE: Type.String({
    description: 'Path of a prebuilt workflow bundle; empty builds one at startup.',
    default: '',
  }),
  SHUTDOWN_GRACE_MS: Count('Milliseconds that running work may take to finish after SIGTERM.', 25_000, 0),
  DRAIN_MS: Count(
    'Milliseconds the API goes on accepting requests after SIGTERM, while /readyz responds with 503.',
    0,
    0,
  ),
  PROBE_HOST: Text('Address that HEALTH_PORT and METRICS_PORT are on.', '127.0.0.1'),
  HEALTH_PORT: Port(
    'Port of /healthz and /readyz of a worker or renderer; 0 picks a free port, empty serves neither. The API has both on its own port.',
  ),
  METRICS_PORT: Port('Port of /metrics; 0 picks a free port, empty measures nothing.'),
  LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    description: 'Minimum level that is logged.',
    default: 'info',
  }),
  LOG_PRETTY: Flag(
    'Human-readable logs instead of JSON lines; requires pino-pretty, a development dependency.',
    false,
  ),
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
    ...schemaProblems(value, set, unread),
    ...secretProblems,
    ...serverProblems(value, unread),
    ...generatorProblems(value),
    ...logProblems(value),
    ...tracingProblems(value),
    ...originProblems(list(value.EGRESS_ALLOW_ORIGINS)),
    ...trustProxyProblems(list(value.TRUST_PROXY)),
  ];
  return { value, unread, problems };
}

/** Checks each variable by itself: the errors of the whole object would end after the first few. */
function schemaProblems(
  env: Partial<Environment>,
  set: Record<string, string | undefined>,
  unread: ReadonlySet<string>,
): string[] {
  const required: readonly string[] = Environment.required;
  return Object.entries(Environment.properties).flatMap(([name, schema]) => {
    const value = env[name as keyof Environment];
    if (value === undefined)
      return required.includes(name) && !unread.has(name) ? [`${name}: must be set`] : [];
    // The conversion to a whole number has cut it off.
    const isFraction = 'type' in schema && schema.type === 'integer' && set[name]?.includes('.');
    if (Value.Check(schema, value) && !isFraction) return [];
    return [`${name}: ${explain(schema, set[name] ?? value)}`];
  });
}

/** Whether the environment sets the port of the API. An empty string counts as not set. */
export const isPortGiven = ({ API_PORT, PORT }: NodeJS.ProcessEnv) => Boolean(API_PORT || PORT);

/** PORT as API_PORT, if it is a number; otherwise it stays, so that the error names PORT. */
function withApiPort(env: Partial<Environment>): Partial<Environment> {
  return typeof env.PORT === 'number' ? { API_PORT: env.PORT, ...env } : env;
}

/** Pino loads its transport by name, and fails with a stack trace if the package is missing, as it is in production. */
function logProblems(env: Environment): string[] {
  return env.LOG_PRETTY === true && !isInstalled('pino-pretty')
    ? ['LOG_PRETTY: the package pino-pretty is not installed; `npm ci --omit=dev` leaves it out']
    : [];
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** The environment of this process. */
export const environment = (): NodeJS.ProcessEnv => process.env;

function group(env: Environment) {
  const generators = groupGenerators(env);
  const imageProcesses = env.IMAGE_PROCESSES || Math.max(1, availableParallelism() - 1);
  const imagesInMemory = Math.max(LEAST_IMAGES, 2 * imageProcesses);
  return Object.freeze({
    mongo: Object.freeze({
      url: env.MONGODB_URL,
      database: env.MONGODB_DATABASE,
      caFile: env.MONGODB_TLS_CA_FILE,
      certKeyFile: env.MONGODB_TLS_CERT_KEY_FILE,
    }),
    temporal: Object.freeze({
      address: env.TEMPORAL_ADDRESS,
      namespace: env.TEMPORAL_NAMESPACE,
      apiKey: env.TEMPORAL_API_KEY,
      tls: Object.freeze({
        enabled: env.TEMPORAL_TLS,
        caFile: env.TEMPORAL_TLS_CA_FILE,
        certFile: env.TEMPORAL_TLS_CERT_FILE,
        keyFile: env.TEMPORAL_TLS_KEY_FILE,
        serverName: env.TEMPORAL_TLS_SERVER_NAME,
      }),
      taskQueuePrefix: env.TASK_QUEUE_PREFIX,
      workflowBundle: env.WORKFLOW_BUNDLE,
    }),
    s3: Object.freeze({
      endpoint: withoutSlash(env.S3_ENDPOINT),
      region: env.S3_REGION,
      pathStyle: env.S3_PATH_STYLE,
      accessKeyId: env.S3_ACCESS_KEY_ID,
      secretAccessKey: env.S3_SECRET_ACCESS_KEY,
      manageBuckets: env.S3_MANAGE_BUCKETS,
      inputsBucket: env.S3_INPUTS_BUCKET,
      resultsBucket: env.S3_RESULTS_BUCKET,
      uploadUrl: withoutSlash(env.UPLOAD_URL),
      resultsMaxAgeS: env.RESULTS_MAX_AGE_S,
    }),
    api: Object.freeze({
      host: env.API_HOST,
      port: env.API_PORT,
      publicUrl: withoutSlash(env.PUBLIC_URL),
      trustProxy: list(env.TRUST_PROXY).join(','),
      acceptTimeoutMs: env.ACCEPT_TIMEOUT_MS,
      bytesInFlight: env.BYTES_IN_FLIGHT_MB * MB || Math.floor(memory() / 4),
      unpaidBytesPerMinute: env.UNPAID_MB_PER_MINUTE * MB,
    }),
    keyPrefix: env.KEY_PREFIX,
    generators,
    egress: Object.freeze({ allowOrigins: Object.freeze(origins(env)) }),
    worker: Object.freeze({
      renderSlots: env.RENDER_SLOTS || imagesInMemory + generators.places,
      imageProcesses,
      /** Clients' images that a renderer has loaded: those in the processes, and as many that follow. */
      imagesInMemory,
      renderMemoryBytes: env.RENDER_MEMORY_MB * 2 ** 20,
      watermarkText: env.WATERMARK_TEXT,
      queues: env.WORKER_QUEUES,
      webhookSlots: env.WEBHOOK_SLOTS,
    }),
    shutdownGraceMs: env.SHUTDOWN_GRACE_MS,
    drainMs: env.DRAIN_MS,
    probes: Object.freeze({
      host: env.PROBE_HOST,
      healthPort: env.HEALTH_PORT,
      metricsPort: env.METRICS_PORT,
    }),
    log: Object.freeze({ level: env.LOG_LEVEL, pretty: env.LOG_PRETTY }),
    tracing: groupTracing(env),
  });
}

const MB = 1024 * 1024;
const LEAST_IMAGES = 8;

/** Memory limit of this process in bytes: the cgroup's, or the machine's. */
function memory(): number {
  // constrainedMemory() returns 0 if unknown, and a huge number if unlimited.
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}

/** A loop, because `/\/+$/` takes quadratic time on a long run of slashes. */
function withoutSlash(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}

/** As `URL.origin` writes them, which is how they are compared. */
const origins = ({ EGRESS_ALLOW_ORIGINS }: Environment): string[] =>
  list(EGRESS_ALLOW_ORIGINS).flatMap((entry) => originOf(entry) ?? []);

const list = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
