import { type Logger, pino } from 'pino';
import { installRuntime } from '../../lib/telemetry/temporal-logger.ts';

let current = pino({ level: 'silent' });
let isInstalled = false;

/** Makes the Temporal SDK log here from now on. It has one runtime in a process, which test files share. */
export function logSdkTo(logger: Logger = pino({ level: 'silent' })): void {
  current = logger;
  if (isInstalled) return;
  isInstalled = true;
  installRuntime(new Proxy(logger, { get: (_, property) => Reflect.get(current, property) }));
}
