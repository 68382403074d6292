import { fetch } from 'undici';
import { withResources } from '../../lib/process/resources.ts';
import { assertPolled } from '../servers/assert-polled.ts';
import type { BenchEnvironment } from './environment.ts';
import { type BenchProcess, startProcess } from './measured-process.ts';

export type RunningApi = AsyncDisposable & { process: BenchProcess; origin: string };

/** Starts the API in a process of its own. */
export const startApi = (environment: BenchEnvironment) => startServer(environment, 'api/main');

/** Starts a module that listens on API_PORT, in a process of its own. It is ready when it responds, with any status. */
export async function startServer(
  { env, freePort, logFile }: BenchEnvironment,
  module: string,
): Promise<RunningApi> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const process = await startProcess({
    module,
    env: { ...env, API_PORT: String(port) },
    logFile: logFile(module.replace('/', '-')),
    ready: async () => (await fetch(`${origin}/api/v1/tools`)).body?.cancel(),
  });
  return { process, origin, [Symbol.asyncDispose]: () => process[Symbol.asyncDispose]() };
}

/** Starts the worker in a process of its own; ready when it polls. */
export function startWorker({ env, config, logFile }: BenchEnvironment): Promise<BenchProcess> {
  return startProcess({
    module: 'worker/main',
    env,
    logFile: logFile('worker'),
    ready: () => assertPolled(config.temporal, 'jobs'),
  });
}

/** Starts the renderer in a process of its own; ready when it polls. */
export function startRenderer({ env, config, logFile }: BenchEnvironment): Promise<BenchProcess> {
  return startProcess({
    module: 'worker/renderer',
    env,
    logFile: logFile('renderer'),
    ready: () => assertPolled(config.temporal, 'images'),
  });
}

/** Starts API, worker and renderer in a process each, as in production. */
export function startService(environment: BenchEnvironment) {
  return withResources(async (keep) => {
    const worker = keep(await startWorker(environment));
    const renderer = keep(await startRenderer(environment));
    const api = keep(await startApi(environment));
    return { worker, renderer, api };
  });
}
