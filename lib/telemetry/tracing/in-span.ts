import { type Attributes, type Span, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';

/**
 * Runs `work` in a span of a call to another server. An error is recorded by its kind only, because its message may
 * quote the other side.
 */
export function inClientSpan<T>(
  tracer: Tracer,
  { name, attributes }: { name: string; attributes: Attributes },
  work: (span: Span) => Promise<T>,
): Promise<T> {
  return tracer.startActiveSpan(name, { kind: SpanKind.CLIENT, attributes }, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', kindOf(error));
      throw error;
    } finally {
      span.end();
    }
  });
}

/** The kind that errors of this project have, or the name. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { kind, failure } = error as { kind?: unknown; failure?: { kind?: unknown } };
  const found = kind ?? failure?.kind;
  return typeof found === 'string' ? found : error.name;
}
