import { type Static, Type } from 'typebox';
import { listOf } from './list.ts';
import { Optional } from './variables.ts';
import { withoutSlash } from './without-slash.ts';

/** Environment variables of the traces, with the names and the form that OpenTelemetry has given them. */
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

/** A header name and a percent-encoded value (W3C Baggage, as OTEL_EXPORTER_OTLP_HEADERS is specified). */
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
  for (const pair of listOf(text)) {
    const [, name, encoded] = HEADER.exec(pair) ?? [];
    const value = encoded === undefined ? undefined : decoded(encoded);
    if (name === undefined || value === undefined) return undefined;
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

/** undefined for what no header may contain. */
function decoded(encoded: string): string | undefined {
  try {
    const value = decodeURIComponent(encoded);
    return /^[\x20-\x7e]*$/.test(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
