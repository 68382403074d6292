import { text } from 'node:stream/consumers';
import { vi } from 'vitest';
import { type Served, serveHttp } from '../lib/egress/servers.ts';

/** A span as a collector receives it, with the name of the service that sent it. */
export interface CollectedSpan {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: Record<string, string | number | boolean>;
  status: { code: number };
}

export interface Collector extends Served {
  /** The variables that make processes send their traces to it. */
  env: Record<string, string>;
  spans: CollectedSpan[];
  requests: { path: string; headers: Record<string, string>; body: string }[];
  /** Waits for a trace that has these spans, by name and as often as named. @returns all of its spans so far */
  traceWith(traceId: string, names: readonly string[]): Promise<CollectedSpan[]>;
}

interface KeyValue {
  key: string;
  value: { stringValue?: string; intValue?: string; doubleValue?: number; boolValue?: boolean };
}
interface Export {
  resourceSpans: {
    resource: { attributes: KeyValue[] };
    scopeSpans: { spans: (Omit<CollectedSpan, 'attributes' | 'service'> & { attributes: KeyValue[] })[] }[];
  }[];
}

/** An OTLP/HTTP collector on loopback that takes JSON and keeps what it gets. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const requests: Collector['requests'] = [];
  const served = await serveHttp(async (request, response) => {
    const body = await text(request);
    requests.push({ path: request.url ?? '', headers: request.headers as Record<string, string>, body });
    spans.push(...collected(JSON.parse(body)));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  return {
    ...served,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: served.origin },
    spans,
    requests,
    traceWith: (traceId, names) =>
      vi.waitFor(async () => {
        const found = spans.filter((span) => span.traceId === traceId);
        const left = found.map(({ name }) => name);
        for (const name of names) {
          const at = left.indexOf(name);
          if (at < 0) throw new Error(`${name} is missing; there are ${found.map((span) => span.name)}`);
          left.splice(at, 1);
        }
        return found;
      }, 60_000),
  };
}

function collected({ resourceSpans }: Export): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({ ...span, service, attributes: valuesOf(span.attributes) })),
    );
  });
}

function valuesOf(attributes: readonly KeyValue[]): CollectedSpan['attributes'] {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.doubleValue ?? value.boolValue ?? Number(value.intValue),
    ]),
  );
}
