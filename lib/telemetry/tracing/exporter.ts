import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import type { Egress } from '../../egress/egress.ts';
import { reasonsOf } from '../../process/log.ts';
import { toOtlp } from './otlp.ts';

const EXPORT_MS = 10_000;
const MAX_RESPONSE_BYTES = 1024;

export interface ExporterOptions {
  egress: Pick<Egress, 'post'>;
  /** Where traces are posted to. */
  url: string;
  headers: Readonly<Record<string, string>>;
  logger: Pick<Logger, 'warn' | 'info'>;
}

export interface Exporter extends SpanExporter {
  /** Aborts the requests in progress. */
  abort(): void;
}

/**
 * Posts spans as OTLP JSON. A batch that the collector does not take is dropped: nothing may wait
 * for a collector. Logs only the first of several failures.
 */
export function createExporter({ egress, url, headers, logger }: ExporterOptions): Exporter {
  const controller = new AbortController();
  let failing = false;

  async function send(spans: readonly ReadableSpan[]): Promise<void> {
    const { status } = await egress.post(url, {
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(toOtlp(spans)),
      maxResponseBytes: MAX_RESPONSE_BYTES,
      timeoutMs: EXPORT_MS,
      signal: controller.signal,
    });
    if (status < 200 || status > 299) throw new Error(`The collector responded with status ${status}.`);
  }

  function succeeded(): ExportResult {
    if (failing) logger.info('The collector receives spans again.');
    failing = false;
    return { code: ExportResultCode.SUCCESS };
  }

  function failed(error: unknown, count: number): ExportResult {
    const message = 'The collector does not receive spans; they are dropped until it does.';
    if (!failing)
      logger.warn({ spans: count, reasons: reasonsOf(error), problem: problemOf(error) }, message);
    failing = true;
    return { code: ExportResultCode.FAILED };
  }

  return {
    export(spans, done) {
      send(spans).then(
        () => done(succeeded()),
        (error: unknown) => done(failed(error, spans.length)),
      );
    },
    async shutdown() {},
    abort: () => controller.abort(),
  };
}

const problemOf = (error: unknown) => (error instanceof Error ? error.message : undefined);
