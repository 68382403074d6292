import { Client, Connection, ScheduleAlreadyRunning, type ScheduleOptions } from '@temporalio/client';
import type { Config } from '../../config.ts';
import { connectionOptions } from '../../runtime/temporal-client.ts';
import { retentionAction } from '../start-retention.ts';

export const retentionScheduleId = (prefix: string) => `${prefix}retention`;

/**
 * Creates or updates the schedule that starts the retention workflow daily at 04:20 UTC (spec: Retention and deletion).
 * A paused schedule stays paused.
 */
export async function ensureRetentionSchedule(temporal: Config['temporal']): Promise<void> {
  const connection = await Connection.connect(connectionOptions(temporal));
  try {
    const { schedule } = new Client({ connection, namespace: temporal.namespace });
    const scheduleId = retentionScheduleId(temporal.taskQueuePrefix);
    const options = daily(temporal.taskQueuePrefix);
    try {
      await schedule.create({ scheduleId, ...options });
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      await schedule.getHandle(scheduleId).update(({ state }) => ({ ...options, state }));
    }
  } finally {
    await connection.close();
  }
}

function daily(prefix: string) {
  return {
    spec: { calendars: [{ hour: 4, minute: 20, comment: 'Daily at 04:20' }], timezone: 'UTC' },
    policies: { overlap: 'SKIP', catchupWindow: '1 day' },
    action: { type: 'startWorkflow', ...retentionAction(prefix) },
  } as const satisfies Omit<ScheduleOptions, 'scheduleId'>;
}
