import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { openTemporal } from '../../lib/process/temporal-client.ts';
import { taskQueues } from '../../lib/protocol/task-queues.ts';
import { leaksOfFile } from '../setup/leaks.ts';
import { ownConfig } from '../setup/own-config.ts';
import { terminateWorkflows } from '../setup/workflows.ts';

test('the leak check names a workflow that is still running', async () => {
  const config = ownConfig();
  await using temporal = openTemporal(config.temporal);
  const workflowId = `leak:${randomUUID()}`;
  const leak = `workflow ${workflowId}`;
  const { jobs: taskQueue } = taskQueues(config.temporal.taskQueuePrefix);
  await temporal.client.workflow.start('jobWorkflow', { taskQueue, workflowId, args: [] });
  await vi.waitFor(async () => expect(await leaksOfFile(0)).toContain(leak), 60_000);
  await terminateWorkflows({ temporal: temporal.client, config });
  await vi.waitFor(async () => expect(await leaksOfFile(0)).not.toContain(leak), 60_000);
});
