import { proxyActivities, setHandler } from '@temporalio/workflow';
import { acceptBare, type BareActivities } from './bare-messages.ts';

/** Answers its update at once and runs one empty activity: the cost of Temporal in a job. */
export async function bareWorkflow(activityQueue: string): Promise<void> {
  setHandler(acceptBare, () => 'accepted');
  const { nothing } = proxyActivities<BareActivities>({
    taskQueue: activityQueue,
    startToCloseTimeout: '10 s',
  });
  await nothing();
}
