import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ensureSchedules } from '../../lib/process/temporal-client.ts';
import { reconcileScheduleId, retentionScheduleId, schedulesOf } from '../../lib/protocol/schedules.ts';
import { openDeps } from '../../operator/deps.ts';
import { SETUP_STEPS } from '../../operator/setup/steps.ts';
import { closers } from '../setup/closers.ts';
import { eventually } from '../setup/eventually.ts';
import { startWorker } from '../setup/open-service.ts';
import { type Service, startService } from '../setup/service.ts';

const INTERVAL_MS = 7_200_000;
const open = closers();
let service: Service;
let prefix: string;

beforeAll(async () => {
  service = open.use(await startService({ env: { RECONCILE_INTERVAL_MS: String(INTERVAL_MS) } }));
  prefix = service.config.temporal.taskQueuePrefix;
});
afterEach(async () => {
  for (const { scheduleId } of wanted()) await handle(scheduleId).delete();
});
afterAll(() => open.close());

const wanted = () => schedulesOf(prefix, INTERVAL_MS);
const handle = (scheduleId: string) => service.temporal.schedule.getHandle(scheduleId);
const reconciler = () => handle(reconcileScheduleId(prefix));
const retention = () => handle(retentionScheduleId(prefix));

/** How long a run that hangs keeps others from starting. */
const timeoutOf = async (schedule: ReturnType<typeof handle>) => {
  const { action } = await schedule.describe();
  return action.type === 'startWorkflow' ? action.workflowExecutionTimeout : undefined;
};

describe('the schedules', () => {
  test('start the reconciler at its interval, and retention daily at 04:20 UTC; ensuring them is idempotent', async () => {
    await ensureSchedules(service.temporal, wanted());
    await ensureSchedules(service.temporal, wanted());
    const reconciles = await reconciler().describe();
    expect(reconciles.spec.intervals).toMatchObject([{ every: INTERVAL_MS }]);
    expect(reconciles.policies).toMatchObject({ overlap: 'SKIP' });
    expect(await timeoutOf(reconciler())).toBe(30 * 60_000);

    const { spec, policies, info } = await retention().describe();
    expect(spec.calendars).toMatchObject([
      { hour: [{ start: 4, end: 4 }], minute: [{ start: 20, end: 20 }] },
    ]);
    expect(policies).toMatchObject({ overlap: 'SKIP', catchupWindow: 24 * 3_600_000 });
    const next = info.nextActionTimes.map((time) => time.toISOString().slice(10, 19));
    expect(new Set(next)).toEqual(new Set(['T04:20:00']));
    expect(await timeoutOf(retention())).toBeLessThan(24 * 3_600_000);
  });

  test('that were deleted are there again when a worker has started, and paused ones stay paused', async () => {
    await ensureSchedules(service.temporal, wanted());
    await retention().pause();
    await reconciler().delete();
    await using worker = await service.startWorker({ schedules: wanted() });
    expect((await reconciler().describe()).state.paused).toBe(false);
    expect((await retention().describe()).state.paused).toBe(true);
    expect(worker).toBeDefined();
  });

  test('are those that setup ensures', async () => {
    await using deps = openDeps(() => service.config);
    await SETUP_STEPS.find(({ name }) => name === 'schedules')?.run(deps, {});
    expect((await reconciler().describe()).spec.intervals).toMatchObject([{ every: INTERVAL_MS }]);
    expect((await retention().describe()).spec.calendars).toHaveLength(1);
  });

  test('start runs that complete', async () => {
    await using worker = await service.startWorker({ schedules: wanted() });
    expect(worker).toBeDefined();
    for (const schedule of [reconciler(), retention()]) {
      await schedule.trigger();
      const workflowId = await eventually(async () => {
        const [action] = (await schedule.describe()).info.recentActions;
        if (action?.action.type !== 'startWorkflow') throw new Error('the schedule has not acted yet');
        return action.action.workflow.workflowId;
      });
      expect(await service.temporal.workflow.getHandle(workflowId).result()).toMatchObject({ deleted: 0 });
    }
  });

  test('are not ensured by a worker that only delivers webhooks', async () => {
    const { config } = service;
    const webhooksOnly = { ...config, worker: { ...config.worker, queues: 'webhooks' as const } };
    await using worker = await startWorker(webhooksOnly, { ...service, schedules: wanted() });
    expect(worker).toBeDefined();
    await expect(reconciler().describe()).rejects.toThrow();
    await ensureSchedules(service.temporal, wanted());
  });
});
