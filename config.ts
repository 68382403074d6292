import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

const Text = (description: string, value?: string) =>
  Type.String({ minLength: 1, description, ...(value === undefined ? {} : { default: value }) });
const Url = (description: string, value?: string) =>
  Type.String({
    pattern: '^https?://[^/]+',
    description,
    ...(value === undefined ? {} : { default: value }),
  });
const Count = (description: string, value: number, minimum = 1) =>
  Type.Integer({ minimum, description, default: value });
const Optional = (description: string) => Type.String({ description, default: '' });
const Flag = (description: string, value: boolean) => Type.Boolean({ description, default: value });

/** Every variable the service reads. `.env.example` is held to this schema by a test. */
export const Environment = Type.Object({
  MONGODB_URL: Text(
    'Connection string of a MongoDB replica set.',
    'mongodb://127.0.0.1:27017/?replicaSet=rs0',
  ),
  MONGODB_DATABASE: Text('Database that holds everything.', 'image_job_api'),
  TEMPORAL_ADDRESS: Text('host:port of the Temporal frontend.', '127.0.0.1:7233'),
  TEMPORAL_NAMESPACE: Text('Temporal namespace.', 'default'),
  TEMPORAL_API_KEY: Optional('API key that Temporal is called with; implies TLS.'),
  TEMPORAL_TLS: Flag('Reach Temporal over TLS; any of the settings below and an API key imply it.', false),
  TEMPORAL_TLS_CA_FILE: Optional(
    "PEM file of the authorities Temporal's certificate is held to; empty takes the system's.",
  ),
  TEMPORAL_TLS_CERT_FILE: Optional('PEM file of the certificate shown to Temporal; goes with the key.'),
  TEMPORAL_TLS_KEY_FILE: Optional('PEM file of the private key of that certificate.'),
  TEMPORAL_TLS_SERVER_NAME: Optional("Name expected in Temporal's certificate; empty takes the address's."),
  TASK_QUEUE_PREFIX: Type.String({ description: 'Put before the three task queue names.', default: '' }),
  S3_ENDPOINT: Url('Endpoint of the S3-compatible store.', 'http://127.0.0.1:7070'),
  S3_REGION: Text('Region the requests are signed for.', 'us-east-1'),
  S3_ACCESS_KEY_ID: Text('Access key of the store.'),
  S3_SECRET_ACCESS_KEY: Text('Secret key of the store.'),
  S3_INPUTS_BUCKET: Text('Private bucket of input images.', 'inputs'),
  S3_RESULTS_BUCKET: Text('Bucket of results; anyone may read an object, nobody may list.', 'results'),
  UPLOAD_URL: Url(
    'Public base of result URLs; maps onto the results bucket.',
    'http://127.0.0.1:7070/results',
  ),
  RESULTS_MAX_AGE_S: Count('Seconds for which browsers and caches may keep a result.', 86_400, 0),
  API_HOST: Text('Address the API listens on.', '127.0.0.1'),
  API_PORT: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    description: 'Port the API listens on; 0 takes a free one.',
    default: 8080,
  }),
  PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      description: 'The same, where API_PORT is not set; hosting platforms set it.',
    }),
  ),
  PUBLIC_URL: Url(
    'Public base of the API, with its /api segment; used in documents and doc_url.',
    'http://127.0.0.1:8080/api',
  ),
  TRUST_PROXY: Type.String({
    description:
      'Proxies whose X-Forwarded-For is believed: addresses or CIDR ranges with commas, or a hop count.',
    default: '',
  }),
  KEY_PREFIX: Type.String({
    pattern: '^[a-z][a-z0-9_]{1,15}$',
    description: 'First characters of every API key issued.',
    default: 'ija_',
  }),
  ACCEPT_TIMEOUT_MS: Count('How long a POST may wait for acceptance before it answers 500.', 12_000, 1000),
  BYTES_IN_FLIGHT_MB: Count(
    'Megabytes of bodies and fetched pictures the API has under way at a time; 0 takes a quarter of the memory.',
    0,
    0,
  ),
  UNPAID_MB_PER_MINUTE: Count(
    'Megabytes a minute the API fetches from image_url for one key without a job coming of it.',
    512,
  ),
  GENERATORS: Text('Generators in order of preference, with commas.', 'preview'),
  EGRESS_ALLOW_ORIGINS: Type.String({
    description:
      'Exact origins, with commas, that may be reached although they are not public https. For tests and demos.',
    default: '',
  }),
  RENDER_SLOTS: Count('Concurrent renders of one renderer, those that wait for a model included.', 8),
  IMAGE_PROCESSES: Count(
    'Processes of a renderer that work on pixels, one image at a time each; 0 leaves one processor to others.',
    0,
    0,
  ),
  RENDER_MEMORY_MB: Count(
    'Estimated memory of the images a renderer works on at a time. The largest takes about 1,000 MB by itself.',
    2048,
    256,
  ),
  WEBHOOK_SLOTS: Count('Webhook deliveries one worker runs at a time.', 100),
  WORKFLOW_BUNDLE: Type.String({
    description: 'Path of a workflow bundle built beforehand; empty builds one at start.',
    default: '',
  }),
  SHUTDOWN_GRACE_MS: Count('How long running work may take to finish after SIGTERM.', 25_000, 0),
  LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    description: 'Least severe level that is logged.',
    default: 'info',
  }),
  LOG_PRETTY: Flag('Log for people instead of JSON lines.', false),
});
type Environment = Static<typeof Environment>;

/** Everything a process needs to know, grouped and frozen. URLs have no trailing slash. */
export type Config = ReturnType<typeof group>;

/** Thrown by {@link loadConfig} with every problem of the environment, one per line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Validates an environment as a whole. An empty string counts as not set. */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(
    Object.keys(Environment.properties)
      .filter((name) => env[name] !== undefined && env[name] !== '')
      .map((name) => [name, env[name]]),
  );
  const converted = Value.Convert(Environment, given) as Partial<Environment>;
  const value = Value.Default(Environment, withApiPort(converted));
  const problems = Value.Errors(Environment, value).map(({ instancePath, message, keyword, params }) =>
    keyword === 'required'
      ? `${(params as { requiredProperties: string[] }).requiredProperties.join(', ')}: must be set`
      : `${instancePath.slice(1)}: ${message}`,
  );
  problems.push(...temporalTlsProblems(value as Environment));
  if (problems.length > 0)
    throw new ConfigError(`The environment is not usable:\n  ${problems.join('\n  ')}`);
  return group(value as Environment);
}

/** Whether the environment says which port the API listens on. An empty string counts as not set. */
export const isPortGiven = ({ API_PORT, PORT }: NodeJS.ProcessEnv) => Boolean(API_PORT || PORT);

/** What is no number stands under its own name, and is reported by it. */
function withApiPort(env: Partial<Environment>): Partial<Environment> {
  return typeof env.PORT === 'number' ? { API_PORT: env.PORT, ...env } : env;
}

/** What the schema cannot say: the files are there, and a certificate comes with its key. */
function temporalTlsProblems(env: Environment): string[] {
  const files = ['TEMPORAL_TLS_CA_FILE', 'TEMPORAL_TLS_CERT_FILE', 'TEMPORAL_TLS_KEY_FILE'] as const;
  const unreadable = files.filter((name) => env[name] !== '' && !isReadable(env[name]));
  const problems = unreadable.map((name) => `${name}: ${env[name]} cannot be read`);
  if ((env.TEMPORAL_TLS_CERT_FILE === '') !== (env.TEMPORAL_TLS_KEY_FILE === ''))
    problems.push('TEMPORAL_TLS_CERT_FILE, TEMPORAL_TLS_KEY_FILE: must be set together');
  return problems;
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** The process's own environment; where MONGODB_URL is not set, on top of what a running `npm start` wrote down. */
export function environment(stackFile = '.stack/stack.json'): NodeJS.ProcessEnv {
  if (process.env.MONGODB_URL || !existsSync(stackFile)) return process.env;
  const stack = JSON.parse(readFileSync(stackFile, 'utf8')) as { env?: Record<string, string> };
  return { ...stack.env, ...process.env };
}

function group(env: Environment) {
  return Object.freeze({
    mongo: Object.freeze({ url: env.MONGODB_URL, database: env.MONGODB_DATABASE }),
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
      accessKeyId: env.S3_ACCESS_KEY_ID,
      secretAccessKey: env.S3_SECRET_ACCESS_KEY,
      inputsBucket: env.S3_INPUTS_BUCKET,
      resultsBucket: env.S3_RESULTS_BUCKET,
      uploadUrl: withoutSlash(env.UPLOAD_URL),
      resultsMaxAgeS: env.RESULTS_MAX_AGE_S,
    }),
    api: Object.freeze({
      host: env.API_HOST,
      port: env.API_PORT,
      publicUrl: withoutSlash(env.PUBLIC_URL),
      trustProxy: env.TRUST_PROXY,
      acceptTimeoutMs: env.ACCEPT_TIMEOUT_MS,
      bytesInFlight: env.BYTES_IN_FLIGHT_MB * MB || Math.floor(memory() / 4),
      unpaidBytesPerMinute: env.UNPAID_MB_PER_MINUTE * MB,
    }),
    keyPrefix: env.KEY_PREFIX,
    generators: Object.freeze(list(env.GENERATORS)),
    egress: Object.freeze({ allowOrigins: Object.freeze(list(env.EGRESS_ALLOW_ORIGINS)) }),
    worker: Object.freeze({
      renderSlots: env.RENDER_SLOTS,
      imageProcesses: env.IMAGE_PROCESSES,
      renderMemoryBytes: env.RENDER_MEMORY_MB * 2 ** 20,
      webhookSlots: env.WEBHOOK_SLOTS,
    }),
    shutdownGraceMs: env.SHUTDOWN_GRACE_MS,
    log: Object.freeze({ level: env.LOG_LEVEL, pretty: env.LOG_PRETTY }),
  });
}

const MB = 1024 * 1024;

/** Bytes that this process may use: the control group's limit where there is one, else the machine's. */
function memory(): number {
  // 0 where nobody can tell, and an absurdly large number where nothing is limited.
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}

/** Character by character: an expression for it would look at every run of slashes again from each of them. */
function withoutSlash(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}

const list = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
