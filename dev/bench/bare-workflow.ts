import { defineUpdate, proxyActivities, setHandler } from '@temporalio/workflow';

export const acceptBare = defineUpdate<string>('accept');

export interface BareActivities {
  nothing(): Promise<void>;
}

/** Answers its update at once and runs one empty activity: the cost of Temporal in a job. */
export async function bareWorkflow(activityQueue: string): Promise<void> {
  setHandler(acceptBare, () => 'accepted');
  const { nothing } = proxyActivities<BareActivities>({
    taskQueue: activityQueue,
    startToCloseTimeout: '10 s',
  });
  await nothing();
}
