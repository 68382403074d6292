import { Connection } from '@temporalio/client';
import { fetch } from 'undici';
import type { Config } from '../config.ts';
import { CLOSING_MS } from '../runtime.ts';
import { connectionOptions } from '../temporal.ts';
import { type TaskQueues, taskQueues } from '../workflows/messages.ts';
import { type EntryPoint, entryPoint } from './project.ts';
import type { Child } from './run/child.ts';
import { type Surroundings, startChild } from './servers/part.ts';

const READY_WITHIN_MS = 60_000;
/** A second after the process ends by itself. */
const ENDING_MS = CLOSING_MS + 1_000;

/** Starts the API; it is ready when it answers, whatever it answers to a request without a key. */
export function startApi({ api, shutdownGraceMs }: Config, around: Surroundings): Promise<Child> {
  const url = `${localBase(api)}/v1/tools`;
  return startChild(
    {
      name: 'api',
      ...entryPoint('api/main'),
      env: around.env,
      probe: async (signal) => (await fetch(url, { signal })).body?.cancel(),
      readyWithinMs: READY_WITHIN_MS,
      graceMs: shutdownGraceMs + ENDING_MS,
    },
    around,
  );
}

/** Starts a worker; it is ready when Temporal sees it ask for workflow tasks. */
export const startWorker = (config: Config, around: Surroundings): Promise<Child> =>
  startPoller('worker', 'worker/main', 'jobs', config, around);

/** Starts a renderer; it is ready when Temporal sees it ask for images. */
export const startRenderer = (config: Config, around: Surroundings): Promise<Child> =>
  startPoller('renderer', 'worker/renderer', 'images', config, around);

function startPoller(
  name: string,
  module: EntryPoint,
  queue: keyof TaskQueues,
  { temporal, shutdownGraceMs }: Config,
  around: Surroundings,
): Promise<Child> {
  return startChild(
    {
      name,
      ...entryPoint(module),
      env: around.env,
      probe: () => isPolled(temporal, queue),
      readyWithinMs: READY_WITHIN_MS,
      graceMs: shutdownGraceMs + ENDING_MS,
    },
    around,
  );
}

/** Where this machine reaches the API, whatever its public URL is. */
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
    if (!pollers?.length) throw new Error(`nobody polls ${name}`);
  } finally {
    await connection.close();
  }
}
