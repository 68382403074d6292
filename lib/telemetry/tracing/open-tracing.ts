import type { Logger } from 'pino';
import type { Config } from '../../process/config/config.ts';
import type { Resources } from '../../process/resources.ts';
import type { Tracing } from './tracing.ts';

/**
 * Opens the traces of a process, or nothing when none are configured: OpenTelemetry is then not
 * even loaded.
 * @param name of the process, such as `worker`
 */
export async function openTracing(
  config: Config['tracing'],
  { name, logger, keep }: { name: string; logger: Pick<Logger, 'warn' | 'info'>; keep: Resources['use'] },
): Promise<Tracing | undefined> {
  if (config === null) return undefined;
  const { createTracing } = await import('./create-tracing.ts');
  return keep(createTracing(config, name, logger));
}
