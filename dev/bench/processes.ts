import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fetch } from 'undici';
import { withResources } from '../../lib/process/resources.ts';
import { assertPolled } from '../servers/assert-polled.ts';
import type { BenchEnvironment } from './environment.ts';
import type { ProcessUsage } from './probe.ts';

const READY_WITHIN_MS = 60_000;
const STOPPED_WITHIN_MS = 10_000;
const ROOT = join(import.meta.dirname, '..', '..');

export interface MeasuredProcess extends AsyncDisposable {
  readonly pid: number;
  /** Measures the process while the work is done. */
  during<T>(work: () => Promise<T>): Promise<ProcessUsage & { result: T }>;
}

export type MeasuredServer = MeasuredProcess & { origin: string };

/**
 * Starts one of the project's modules in a process of its own.
 * @param module path from the project's root, without extension
 * @param ready rejects until the process is ready
 */
export async function startMeasured(
  { env, logFile }: BenchEnvironment,
  module: string,
  ready: () => Promise<unknown>,
): Promise<MeasuredProcess> {
  const file = logFile(module.replaceAll('/', '-'));
  mkdirSync(dirname(file), { recursive: true });
  const log = openSync(file, 'w');
  const child = fork(join(import.meta.dirname, 'probe.ts'), [join(ROOT, `${module}.ts`)], {
    cwd: ROOT,
    env,
    execArgv: ['--expose-gc', '--import', 'tsx'],
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  try {
    await untilReady(child, ready);
  } catch (cause) {
    await stop(child);
    throw new Error(`${module} did not start:\n${readFileSync(file, 'utf8').slice(-2000)}`, { cause });
  }
  return {
    pid: child.pid ?? 0,
    async during(work) {
      await tell(child, 'begin');
      const result = await work();
      return { ...((await tell(child, 'end')) as ProcessUsage), result };
    },
    [Symbol.asyncDispose]: () => stop(child),
  };
}

/** Starts a module that listens on API_PORT. It is ready when it responds, with any status. */
export async function startMeasuredServer(
  environment: BenchEnvironment,
  module = 'api/main',
): Promise<MeasuredServer> {
  const port = await environment.freePort();
  const origin = `http://127.0.0.1:${port}`;
  const own = { ...environment, env: { ...environment.env, API_PORT: String(port) } };
  const ready = async () => (await fetch(`${origin}/api/v1/tools`)).body?.cancel();
  return { ...(await startMeasured(own, module, ready)), origin };
}

/** The generator that only resizes, so that the service is measured and not a generator. */
const INSTANT_RENDERER = 'dev/bench/instant-renderer';

/** Starts API, worker and renderer in a process each, as in production. */
export function startMeasuredService(environment: BenchEnvironment, renderers = INSTANT_RENDERER) {
  const { temporal } = environment.config;
  return withResources(async (keep) => {
    const polled = (queue: 'jobs' | 'images') => () => assertPolled(temporal, queue);
    const worker = keep(await startMeasured(environment, 'worker/main', polled('jobs')));
    const renderer = keep(await startMeasured(environment, renderers, polled('images')));
    const api = keep(await startMeasuredServer(environment));
    return { api, worker, renderer };
  });
}

async function tell(child: ChildProcess, message: 'begin' | 'end'): Promise<unknown> {
  const response = once(child, 'message');
  child.send(message);
  return (await response)[0];
}

async function untilReady(child: ChildProcess, ready: () => Promise<unknown>): Promise<void> {
  for (const deadline = Date.now() + READY_WITHIN_MS; ; await delay(100)) {
    try {
      await ready();
      return;
    } catch (cause) {
      if (child.exitCode !== null || Date.now() > deadline) throw cause;
    }
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), STOPPED_WITHIN_MS);
  await exited;
  clearTimeout(force);
}
