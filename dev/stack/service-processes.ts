import { fetch } from 'undici';
import type { Config } from '../../lib/process/config/config.ts';
import { CLOSING_MS } from '../../lib/process/process.ts';
import type { Child, ChildSpec } from '../process/child.ts';
import { assertPolled } from '../servers/assert-polled.ts';
import { type ServerContext, startChild } from '../servers/context.ts';
import { entryPoint, type ModuleName } from './project.ts';

export const STACK_PROCESSES = ['api', 'worker', 'renderer'] as const;
export type StackProcess = (typeof STACK_PROCESSES)[number];

/** Where the processes serve their metrics. */
export const LOOPBACK = '127.0.0.1';
const READY_WITHIN_MS = 60_000;
/** One second more than the process needs to end by itself. */
const ENDING_MS = CLOSING_MS + 1_000;

/**
 * Starts the API, which is ready when it responds with any status, or a worker, which is ready when
 * it polls.
 * @param metricsPort a port of its own, because the processes share a machine
 */
export function startProcess(
  name: StackProcess,
  config: Config,
  metricsPort: number,
  context: ServerContext,
): Promise<Child> {
  const { module, graceMs, probe } = processesOf(config)[name];
  const own = { PROBE_HOST: LOOPBACK, METRICS_PORT: String(metricsPort), HEALTH_PORT: '' };
  return startChild(
    {
      name,
      ...entryPoint(module, [], context.watch),
      env: { ...context.env, ...own },
      probe,
      readyWithinMs: READY_WITHIN_MS,
      graceMs: graceMs + ENDING_MS,
    },
    context,
  );
}

type ProcessSpec = { module: ModuleName } & Pick<ChildSpec, 'graceMs' | 'probe'>;

function processesOf(config: Config): Record<StackProcess, ProcessSpec> {
  const { api, temporal, worker, shutdownGraceMs } = config;
  const respond = async (signal: AbortSignal) =>
    (await fetch(`${localBase(api)}/v1/tools`, { signal })).body?.cancel();
  const poll = (queue: 'jobs' | 'images') => () => assertPolled(temporal, queue);
  return {
    api: { module: 'api/main', graceMs: shutdownGraceMs, probe: respond },
    worker: { module: 'worker/main', graceMs: shutdownGraceMs, probe: poll('jobs') },
    renderer: { module: 'worker/renderer', graceMs: worker.renderGraceMs, probe: poll('images') },
  };
}

/** Base URL of the API on this machine, independent of its public URL. */
export function localBase({ host, port }: Config['api']): string {
  return `http://${host === '0.0.0.0' || host === '::' ? LOOPBACK : host}:${port}/api`;
}
