/**
 * Aborted when this process is asked to end. Asking again changes nothing: one Ctrl-C arrives several
 * times, from the terminal and from the programs between it and this one, which all pass it on.
 */
export function processSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => controller.abort(new Error(`stopped by ${name}`)));
  }
  return controller.signal;
}
