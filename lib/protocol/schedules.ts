import { reconcileAction } from './reconcile.ts';
import { retentionAction } from './retention.ts';

export const reconcileScheduleId = (prefix: string) => `${prefix}reconcile`;
export const retentionScheduleId = (prefix: string) => `${prefix}retention`;

const START = { type: 'startWorkflow' } as const;
/** A run is skipped while the one before it is running. */
const ONE_AT_A_TIME = { overlap: 'SKIP' } as const;

/** The schedules of the service. @param prefix of the task queues */
export const schedulesOf = (prefix: string, reconcileIntervalMs: number) => [
  {
    scheduleId: reconcileScheduleId(prefix),
    spec: { intervals: [{ every: reconcileIntervalMs }] },
    // A run finds whatever the runs before it have missed.
    policies: { ...ONE_AT_A_TIME, catchupWindow: 60_000 },
    action: { ...START, ...reconcileAction(prefix) },
  },
  {
    // spec: Retention and deletion
    scheduleId: retentionScheduleId(prefix),
    spec: { calendars: [{ hour: 4, minute: 20, comment: 'Daily at 04:20' }], timezone: 'UTC' },
    policies: { ...ONE_AT_A_TIME, catchupWindow: 24 * 3_600_000 },
    action: { ...START, ...retentionAction(prefix) },
  },
];
