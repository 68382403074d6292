import { fetch } from 'undici';
import type { Config } from '../../lib/process/config/config.ts';
import { CLOSING_MS } from '../../lib/process/process.ts';
import type { TaskQueues } from '../../lib/protocol/task-queues.ts';
import type { Child } from '../process/child.ts';
import { assertPolled } from '../servers/assert-polled.ts';
import { type ServerContext, startChild } from '../servers/context.ts';
import { entryPoint, type ModuleName } from './project.ts';

const READY_WITHIN_MS = 60_000;
/** One second more than the process needs to end by itself. */
const ENDING_MS = CLOSING_MS + 1_000;

/** Starts the API; it is ready when it responds, with any status. */
export function startApi({ api, shutdownGraceMs }: Config, context: ServerContext): Promise<Child> {
  const url = `${localBase(api)}/v1/tools`;
  return startChild(
    {
      name: 'api',
      ...entryPoint('api/main', [], context.watch),
      env: context.env,
      probe: async (signal) => (await fetch(url, { signal })).body?.cancel(),
      readyWithinMs: READY_WITHIN_MS,
      graceMs: shutdownGraceMs + ENDING_MS,
    },
    context,
  );
}

/** Starts a worker; it is ready when it polls for workflow tasks. */
export const startWorker = ({ temporal, shutdownGraceMs }: Config, context: ServerContext): Promise<Child> =>
  startPoller(
    { name: 'worker', module: 'worker/main', queue: 'jobs', graceMs: shutdownGraceMs },
    temporal,
    context,
  );

/** Starts a renderer; it is ready when it polls for render activities. */
export const startRenderer = ({ temporal, worker }: Config, context: ServerContext): Promise<Child> =>
  startPoller(
    { name: 'renderer', module: 'worker/renderer', queue: 'images', graceMs: worker.renderGraceMs },
    temporal,
    context,
  );

interface Poller {
  name: string;
  module: ModuleName;
  queue: keyof TaskQueues;
  graceMs: number;
}

function startPoller(
  { name, module, queue, graceMs }: Poller,
  temporal: Config['temporal'],
  context: ServerContext,
): Promise<Child> {
  return startChild(
    {
      name,
      ...entryPoint(module, [], context.watch),
      env: context.env,
      probe: () => assertPolled(temporal, queue),
      readyWithinMs: READY_WITHIN_MS,
      graceMs: graceMs + ENDING_MS,
    },
    context,
  );
}

/** Base URL of the API on this machine, independent of its public URL. */
export function localBase({ host, port }: Config['api']): string {
  return `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}/api`;
}
