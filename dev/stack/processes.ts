import { Connection } from '@temporalio/client';
import { fetch } from 'undici';
import type { Config } from '../../config.ts';
import { type TaskQueues, taskQueues } from '../../protocol/task-queues.ts';
import { CLOSING_MS } from '../../runtime/process.ts';
import { connectionOptions } from '../../runtime/temporal.ts';
import type { Child } from '../process/child.ts';
import { type ServerContext, startChild } from '../servers/context.ts';
import { type EntryPoint, entryPoint } from './project.ts';

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
export const startWorker = (config: Config, context: ServerContext): Promise<Child> =>
  startPoller('worker', 'worker/main', 'jobs', config, context);

/** Starts a renderer; it is ready when it polls for render activities. */
export const startRenderer = (config: Config, context: ServerContext): Promise<Child> =>
  startPoller('renderer', 'worker/renderer', 'images', config, context);

function startPoller(
  name: string,
  module: EntryPoint,
  queue: keyof TaskQueues,
  { temporal, shutdownGraceMs }: Config,
  context: ServerContext,
): Promise<Child> {
  return startChild(
    {
      name,
      ...entryPoint(module, [], context.watch),
      env: context.env,
      probe: () => isPolled(temporal, queue),
      readyWithinMs: READY_WITHIN_MS,
      graceMs: shutdownGraceMs + ENDING_MS,
    },
    context,
  );
}

/** Base URL of the API on this machine, independent of its public URL. */
export function localBase({ host, port }: Config['api']): string {
  return `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}/api`;
}

/** Task queue types of temporal.api.enums.v1.TaskQueueType. */
const QUEUE_TYPE = { jobs: 1, images: 2, webhooks: 2 } as const satisfies Record<keyof TaskQueues, number>;

async function isPolled(temporal: Config['temporal'], queue: keyof TaskQueues): Promise<void> {
  const { namespace, taskQueuePrefix } = temporal;
  const connection = await Connection.connect({ ...connectionOptions(temporal), connectTimeout: '2s' });
  try {
    const name = taskQueues(taskQueuePrefix)[queue];
    const { pollers } = await connection.withDeadline(Date.now() + 2_000, () =>
      connection.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name },
        taskQueueType: QUEUE_TYPE[queue],
      }),
    );
    if (!pollers?.length) throw new Error(`no worker polls ${name}`);
  } finally {
    await connection.close();
  }
}
