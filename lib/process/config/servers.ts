import { accessSync, constants } from 'node:fs';
import { type Static, Type } from 'typebox';
import { Address, Count, errorCode, Flag, Optional, Text, Url, withoutSlash } from './variables.ts';

/** Environment variables of the connection to MongoDB. */
export const MONGO_ENVIRONMENT = {
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
};

const Mongo = Type.Object(MONGO_ENVIRONMENT);

export const groupMongo = (env: Static<typeof Mongo>) =>
  Object.freeze({
    url: env.MONGODB_URL,
    database: env.MONGODB_DATABASE,
    caFile: env.MONGODB_TLS_CA_FILE,
    certKeyFile: env.MONGODB_TLS_CERT_KEY_FILE,
  });

/** Environment variables of the connection to Temporal. */
export const TEMPORAL_ENVIRONMENT = {
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
  TASK_QUEUE_PREFIX: Optional('Prefix of the three task queue names.'),
};

const Temporal = Type.Object(TEMPORAL_ENVIRONMENT);

/** @param workflowBundle path of a prebuilt bundle; empty builds one */
export const groupTemporal = (env: Static<typeof Temporal>, workflowBundle: string) =>
  Object.freeze({
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
    workflowBundle,
  });

/** Environment variables of the store of images. */
export const S3_ENVIRONMENT = {
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
};

const S3 = Type.Object(S3_ENVIRONMENT);

export const groupS3 = (env: Static<typeof S3>) =>
  Object.freeze({
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
  });

/** PEM files that are read when a process connects. */
const PEM_FILES = [
  'MONGODB_TLS_CA_FILE',
  'MONGODB_TLS_CERT_KEY_FILE',
  'TEMPORAL_TLS_CA_FILE',
  'TEMPORAL_TLS_CERT_FILE',
  'TEMPORAL_TLS_KEY_FILE',
] as const;

type PemFile = (typeof PEM_FILES)[number];
type ServerEnvironment = Readonly<
  Partial<Record<PemFile | 'S3_ACCESS_KEY_ID' | 'S3_SECRET_ACCESS_KEY', string>>
>;

/**
 * Problems with the connections to servers that the schema cannot express, a line each.
 * @param unread variables whose files have no usable secret, which is reported elsewhere
 */
export function serverProblems(env: ServerEnvironment, unread: ReadonlySet<string>): string[] {
  const isGiven = (name: keyof ServerEnvironment) => Boolean(env[name]) || unread.has(name);
  const pairs = [
    ['TEMPORAL_TLS_CERT_FILE', 'TEMPORAL_TLS_KEY_FILE'],
    ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  ] as const;
  return [
    ...PEM_FILES.flatMap((name) => unreadable(name, env[name])),
    ...pairs
      .filter(([one, other]) => isGiven(one) !== isGiven(other))
      .map((pair) => `${pair.join(', ')}: must be set together`),
  ];
}

function unreadable(name: string, path = ''): string[] {
  try {
    if (path !== '') accessSync(path, constants.R_OK);
    return [];
  } catch (error) {
    return [`${name}: the file cannot be read (${errorCode(error)})`];
  }
}
