import { once } from 'node:events';

/** Aborted when this process is asked to end. Asking again changes nothing: the ending is under way. */
export function processSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => controller.abort(new Error(`stopped by ${name}`)));
  }
  return controller.signal;
}

export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
