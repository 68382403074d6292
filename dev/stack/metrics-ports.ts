import type { ServerContext } from '../servers/context.ts';
import type { StackFile } from './stack-file.ts';

const HOST = '127.0.0.1';
const PROCESSES = ['api', 'worker', 'renderer'] as const;
type ProcessName = (typeof PROCESSES)[number];

/** Where the processes of a stack serve their metrics. */
export interface StackMetrics {
  urls: StackFile['metrics'];
  /** The context of one process: with a port of its own for its metrics. */
  contextOf(name: ProcessName, context: ServerContext): ServerContext;
}

/** Chooses a port for each process: they share a machine, so METRICS_PORT and HEALTH_PORT cannot be the caller's. */
export async function chooseMetricsPorts({ choose }: ServerContext['ports']): Promise<StackMetrics> {
  const ports: Partial<Record<ProcessName, number>> = {};
  for (const name of PROCESSES) ports[name] = await choose(`${name}-metrics`);
  const urlOf = (name: ProcessName) => `http://${HOST}:${ports[name]}/metrics`;
  return {
    urls: { api: urlOf('api'), worker: urlOf('worker'), renderer: urlOf('renderer') },
    contextOf(name, context) {
      const own = { PROBE_HOST: HOST, METRICS_PORT: String(ports[name]), HEALTH_PORT: '' };
      return { ...context, env: { ...context.env, ...own } };
    },
  };
}
