import { createRequire } from 'node:module';
import { type Static, Type } from 'typebox';
import { entriesOf, Flag, Milliseconds, Optional, Port, Text, withoutSlash } from './variables.ts';

/** Environment variables of how a process ends and is observed. */
export const PROCESS_ENVIRONMENT = {
  SHUTDOWN_GRACE_MS: Milliseconds(
    'Milliseconds that an API or a worker may take to finish running work after SIGTERM.',
    25_000,
  ),
  DRAIN_MS: Milliseconds(
    'Milliseconds the API goes on accepting requests after SIGTERM, while /readyz responds with 503.',
    0,
  ),
  PROBE_HOST: Text('Address that HEALTH_PORT and METRICS_PORT are on.', '127.0.0.1'),
  HEALTH_PORT: Port(
    'Port of /healthz and /readyz of a worker or renderer; 0 picks a free port, empty serves neither. The API has both on its own port.',
  ),
  METRICS_PORT: Port('Port of /metrics; 0 picks a free port, empty measures nothing.'),
};

const Process = Type.Object(PROCESS_ENVIRONMENT);

export const groupProbes = (env: Static<typeof Process>) =>
  Object.freeze({ host: env.PROBE_HOST, healthPort: env.HEALTH_PORT, metricsPort: env.METRICS_PORT });

/** Environment variables of the log. */
export const LOG_ENVIRONMENT = {
  LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    description: 'Minimum level that is logged.',
    default: 'info',
  }),
  LOG_PRETTY: Flag(
    'Human-readable logs instead of JSON lines; requires pino-pretty, a development dependency.',
    false,
  ),
};

const Log = Type.Object(LOG_ENVIRONMENT);
type LogEnvironment = Static<typeof Log>;

export const groupLog = (env: LogEnvironment) =>
  Object.freeze({ level: env.LOG_LEVEL, pretty: env.LOG_PRETTY });

/**
 * Pino loads its transport by name, and fails with a stack trace if the package is missing, as it
 * is in production.
 */
export function logProblems(env: LogEnvironment): string[] {
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

/**
 * Environment variables of the traces, with the names and the form that OpenTelemetry has given
 * them.
 */
export const TRACING_ENVIRONMENT = {
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.String({
    pattern: '^(https?://[^/?#@]+(/[^?#]*)?)?$',
    expected: 'an http:// or https:// URL without credentials and query',
    description: 'Base URL of an OTLP/HTTP collector that receives traces; empty sends none.',
    default: '',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: Optional(
    'Headers of the requests to the collector, such as its API key: name=value,name=value.',
  ),
  OTEL_SERVICE_NAME: Optional(
    'service.name of the spans; empty uses imagejob-api, imagejob-worker and imagejob-renderer.',
  ),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    minimum: 0,
    maximum: 1,
    description:
      "Share of the requests that are traced, from 0 to 1, whatever the caller's traceparent says.",
    default: 1,
  }),
};

const Tracing = Type.Object(TRACING_ENVIRONMENT);
type TracingEnvironment = Static<typeof Tracing>;

/**
 * A header name and a percent-encoded value (W3C Baggage, as OTEL_EXPORTER_OTLP_HEADERS is
 * specified).
 */
const HEADER = /^([\w.-]+)\s*=\s*([\x21-\x7e]+)$/;

/** How traces are sent; null where they are not. */
export function groupTracing(env: TracingEnvironment) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = env;
  if (endpoint === '') return null;
  return Object.freeze({
    url: `${withoutSlash(endpoint)}/v1/traces`,
    headers: Object.freeze(parseHeaders(headers) ?? {}),
    serviceName: env.OTEL_SERVICE_NAME,
    ratio: env.OTEL_TRACES_SAMPLER_ARG,
  });
}

/** Checks that the schema cannot express. The value is not quoted, because it may be a secret. */
export function tracingProblems({ OTEL_EXPORTER_OTLP_HEADERS: headers }: TracingEnvironment): string[] {
  return parseHeaders(headers) !== undefined
    ? []
    : [
        'OTEL_EXPORTER_OTLP_HEADERS: must be name=value pairs, separated by commas, with percent-encoded values',
      ];
}

function parseHeaders(text: string): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  for (const pair of entriesOf(text)) {
    const [, name, encoded] = HEADER.exec(pair) ?? [];
    const value = encoded === undefined ? undefined : decoded(encoded);
    if (name === undefined || value === undefined) return undefined;
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

/** Undefined if the value has a character that no header may contain. */
function decoded(encoded: string): string | undefined {
  try {
    const value = decodeURIComponent(encoded);
    return /^[\x20-\x7e]*$/.test(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
