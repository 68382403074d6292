import { isIP, isIPv4 } from 'node:net';
import { totalmem } from 'node:os';
import { type Static, Type } from 'typebox';
import {
  Count,
  entriesOf,
  Milliseconds,
  Optional,
  originsOf,
  Port,
  Text,
  Url,
  withoutSlash,
} from './variables.ts';

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

/** Uses PORT as API_PORT if it is a number. Otherwise PORT stays, so that the error names it. */
export function withApiPort<T extends Partial<Pick<ApiEnvironment, 'API_PORT' | 'PORT'>>>(env: T): T {
  return typeof env.PORT === 'number' ? { API_PORT: env.PORT, ...env } : env;
}

const MB = 1024 * 1024;

export const groupApi = (env: ApiEnvironment) =>
  Object.freeze({
    host: env.API_HOST,
    port: env.API_PORT,
    publicUrl: withoutSlash(env.PUBLIC_URL),
    trustProxy: entriesOf(env.TRUST_PROXY).join(','),
    acceptTimeoutMs: env.ACCEPT_TIMEOUT_MS,
    bytesInFlight: env.BYTES_IN_FLIGHT_MB * MB || Math.floor(memory() / 4),
    unpaidBytesPerMinute: env.UNPAID_MB_PER_MINUTE * MB,
  });

/** Memory limit of this process in bytes: the cgroup's, or the machine's. */
function memory(): number {
  // constrainedMemory() returns 0 if unknown, and a huge number if unlimited.
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}

/** The ranges that Fastify knows by name. */
const NAMED = ['loopback', 'linklocal', 'uniquelocal'];

/**
 * Problems with TRUST_PROXY, a line each. It is a number of hops, or a list of addresses and
 * ranges.
 */
export function trustProxyProblems(entries: readonly string[]): string[] {
  const [first = ''] = entries;
  if (entries.length === 1 && /^\d+$/.test(first)) return [];
  return entries
    .filter((entry) => !NAMED.includes(entry) && !isRange(entry))
    .map(
      (entry) =>
        `TRUST_PROXY: ${JSON.stringify(entry)} is no address or range such as 10.0.0.0/8, ` +
        `no number of hops, and none of ${NAMED.join(', ')}`,
    );
}

function isRange(entry: string): boolean {
  const [address = '', length, ...others] = entry.split('/');
  const version = isIP(address);
  if (version === 0 || others.length > 0) return false;
  if (length === undefined) return true;
  const most = version === 4 ? 32 : 128;
  const isLength = /^\d{1,3}$/.test(length) && Number(length) >= 1 && Number(length) <= most;
  return isLength || (version === 4 && isNetmask(length));
}

/** Whether the bits of the mask are ones, and then zeros. */
function isNetmask(text: string): boolean {
  if (!isIPv4(text)) return false;
  const bits = text.split('.').map((part) => Number(part).toString(2).padStart(8, '0'));
  return /^1+0*$/.test(bits.join(''));
}

/** Environment variables of outgoing HTTP. */
export const EGRESS_ENVIRONMENT = {
  EGRESS_ALLOW_ORIGINS: Optional(
    'Comma-separated exact origins allowed in addition to public https. For tests and demos.',
  ),
};

const Egress = Type.Object(EGRESS_ENVIRONMENT);

export const groupEgress = ({ EGRESS_ALLOW_ORIGINS }: Static<typeof Egress>) =>
  Object.freeze({
    allowOrigins: originsOf(EGRESS_ALLOW_ORIGINS),
  });
