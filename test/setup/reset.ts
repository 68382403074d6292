import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { vi } from 'vitest';

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
type EventId = NonNullable<NonNullable<History['events']>[number]['eventId']>;

type Point = { workflowId: string; runId: string; eventId: EventId };

/** A reset as an operator does it in the Temporal UI. */
export async function reset(
  { workflowService, options }: Client,
  { workflowId, runId, eventId: workflowTaskFinishEventId }: Point,
): Promise<void> {
  await workflowService.resetWorkflowExecution({
    namespace: options.namespace,
    workflowExecution: { workflowId, runId },
    reason: 'test',
    workflowTaskFinishEventId,
    requestId: randomUUID(),
  });
}

/** Events to which the workflow can be reset: its completed workflow tasks. */
export async function resetPoints({ workflow }: Client, workflowId: string): Promise<Point[]> {
  const handle = workflow.getHandle(workflowId);
  const [{ runId }, { events }] = await Promise.all([handle.describe(), handle.fetchHistory()]);
  return (events ?? []).flatMap(({ workflowTaskCompletedEventAttributes: completed, eventId }) =>
    completed && eventId ? [{ workflowId, runId, eventId }] : [],
  );
}

/** Waits until there is one. */
export const firstResetPoint = (client: Client, workflowId: string): Promise<Point> =>
  vi.waitFor(async () => {
    const [point] = await resetPoints(client, workflowId);
    if (point === undefined) throw new Error('No workflow task has completed.');
    return point;
  }, 60_000);
