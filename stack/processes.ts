import { Connection } from '@temporalio/client';
import { fetch } from 'undici';
import type { Config } from '../config.ts';
import { taskQueues } from '../workflows/messages.ts';
import { entryPoint } from './project.ts';
import type { Child } from './run/child.ts';
import { type Surroundings, startChild } from './servers/part.ts';

const READY_WITHIN_MS = 60_000;

/** Starts the API; it is ready when it answers, whatever it answers to a request without a key. */
export function startApi({ api, worker }: Config, around: Surroundings): Promise<Child> {
  const url = `${localBase(api)}/v1/tools`;
  return startChild(
    {
      name: 'api',
      ...entryPoint('api/main'),
      env: around.env,
      probe: async (signal) => (await fetch(url, { signal })).body?.cancel(),
      readyWithinMs: READY_WITHIN_MS,
      graceMs: worker.shutdownGraceMs + 5_000,
    },
    around,
  );
}

/** Starts a worker; it is ready when Temporal sees it ask for workflow tasks. */
export function startWorker({ temporal, worker }: Config, around: Surroundings): Promise<Child> {
  return startChild(
    {
      name: 'worker',
      ...entryPoint('worker/main'),
      env: around.env,
      probe: () => isPolled(temporal),
      readyWithinMs: READY_WITHIN_MS,
      graceMs: worker.shutdownGraceMs + 5_000,
    },
    around,
  );
}

/** Where this machine reaches the API, whatever its public URL is. */
export function localBase({ host, port }: Config['api']): string {
  return `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}/api`;
}

async function isPolled({ address, namespace, taskQueuePrefix }: Config['temporal']): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: '2s' });
  try {
    const { jobs } = taskQueues(taskQueuePrefix);
    const { pollers } = await connection.withDeadline(Date.now() + 2_000, () =>
      connection.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: jobs },
        taskQueueType: 1,
      }),
    );
    if (!pollers?.length) throw new Error(`no worker polls ${jobs}`);
  } finally {
    await connection.close();
  }
}
