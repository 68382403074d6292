import { Client, Connection, ScheduleAlreadyRunning, type ScheduleOptions } from '@temporalio/client';
import type { Config } from '../../config.ts';
import { connectionOptions } from '../../temporal.ts';
import { sweepAction } from '../sweep.ts';

export const retentionScheduleId = (prefix: string) => `${prefix}retention`;

/**
 * Has the sweep run daily at 04:20 UTC (spec: Retention and deletion). Creates the schedule or brings an existing one
 * up to date; one that an operator has paused stays paused.
 */
export async function ensureRetentionSchedule(temporal: Config['temporal']): Promise<void> {
  const connection = await Connection.connect(connectionOptions(temporal));
  try {
    const { schedule } = new Client({ connection, namespace: temporal.namespace });
    const scheduleId = retentionScheduleId(temporal.taskQueuePrefix);
    const wanted = daily(temporal.taskQueuePrefix);
    try {
      await schedule.create({ scheduleId, ...wanted });
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      await schedule.getHandle(scheduleId).update(({ state }) => ({ ...wanted, state }));
    }
  } finally {
    await connection.close();
  }
}

function daily(prefix: string) {
  return {
    spec: { calendars: [{ hour: 4, minute: 20, comment: 'Daily at 04:20' }], timezone: 'UTC' },
    policies: { overlap: 'SKIP', catchupWindow: '1 day' },
    action: { type: 'startWorkflow', ...sweepAction(prefix) },
  } as const satisfies Omit<ScheduleOptions, 'scheduleId'>;
}
