import { type Client, ScheduleAlreadyRunning, type ScheduleOptions } from '@temporalio/client';

/** Deadline of each call to Temporal. */
const CALL_MS = 10_000;

/** Creates the schedules, or updates those that exist. A paused schedule stays paused. */
export async function ensureSchedules(client: Client, all: readonly ScheduleOptions[]): Promise<void> {
  // One after another: when one fails, no other call is left, whose retries would find a closed connection.
  for (const options of all) await ensureSchedule(client, options);
}

async function ensureSchedule(client: Client, options: ScheduleOptions): Promise<void> {
  const { scheduleId, ...wanted } = options;
  const { schedule } = client;
  const bounded = <T>(call: () => Promise<T>) => client.withDeadline(Date.now() + CALL_MS, call);
  try {
    await bounded(() => schedule.create(options));
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await bounded(() => schedule.getHandle(scheduleId).update(({ state }) => ({ ...wanted, state })));
  }
}
