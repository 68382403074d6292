import { totalmem } from 'node:os';
import { type Static, Type } from 'typebox';
import { listOf } from './list.ts';
import { Count, Milliseconds, Optional, Port, Text, Url } from './variables.ts';
import { withoutSlash } from './without-slash.ts';

/** Environment variables of the API. */
export const API_ENVIRONMENT = {
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
  TRUST_PROXY: Optional(
    'Proxies whose X-Forwarded-For is trusted: comma-separated addresses or CIDR ranges, or a hop count.',
  ),
  KEY_PREFIX: Type.String({
    pattern: '^[a-z][a-z0-9_]{1,15}$',
    expected: '2 to 16 characters of a-z, 0-9 and _, the first one a letter',
    description: 'Prefix of API keys; changing it invalidates the keys issued before.',
    default: 'ija_',
  }),
  ACCEPT_TIMEOUT_MS: Milliseconds(
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
    'Megabytes per minute the API fetches from image_url for one account by requests that are not charged.',
    512,
  ),
};

const Api = Type.Object(API_ENVIRONMENT);
type ApiEnvironment = Static<typeof Api>;

/** PORT as API_PORT, if it is a number; otherwise it stays, so that the error names PORT. */
export function withApiPort<T extends Partial<Pick<ApiEnvironment, 'API_PORT' | 'PORT'>>>(env: T): T {
  return typeof env.PORT === 'number' ? { API_PORT: env.PORT, ...env } : env;
}

const MB = 1024 * 1024;

export const groupApi = (env: ApiEnvironment) =>
  Object.freeze({
    host: env.API_HOST,
    port: env.API_PORT,
    publicUrl: withoutSlash(env.PUBLIC_URL),
    trustProxy: listOf(env.TRUST_PROXY).join(','),
    acceptTimeoutMs: env.ACCEPT_TIMEOUT_MS,
    bytesInFlight: env.BYTES_IN_FLIGHT_MB * MB || Math.floor(memory() / 4),
    unpaidBytesPerMinute: env.UNPAID_MB_PER_MINUTE * MB,
  });

/** Memory limit of this process in bytes: the cgroup's, or the machine's. */
function memory(): number {
  // constrainedMemory() returns 0 if unknown, and a huge number if unlimited.
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}
