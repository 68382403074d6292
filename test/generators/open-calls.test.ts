import { describe, expect, it } from 'vitest';
import type { UpstreamTask } from '../../domain/generator-call.ts';
import { GeneratorError } from '../../generators/errors.ts';
import { cancelOpenCalls, endLostCalls } from '../../generators/open-calls.ts';
import type { UpstreamTasks } from '../../generators/port.ts';
import { fakeCallLog, unusedUpstream } from './fake-calls.ts';

const NAMED_WITHIN_MS = 20_000;
const TASK = { id: 't1' };

/** The calls of one job at one upstream. */
function calls(tasks: Partial<UpstreamTasks> | null = {}) {
  let now = 0;
  const log = fakeCallLog(() => now);
  const upstream = unusedUpstream(
    'fal',
    tasks === null ? {} : { tasks: { namedWithinMs: NAMED_WITHIN_MS, ...tasks } },
  );
  const find = (name: string) => (name === 'fal' ? upstream : undefined);
  return {
    log,
    later(ms: number) {
      now += ms;
    },
    async begin(task: UpstreamTask | null, generator = 'fal') {
      const id = (await log.begin({ generator, model: 'm', mayBeCharged: true })) ?? '';
      if (task !== null) await log.update(id, { task });
    },
    endLost: () => endLostCalls(log, find),
    cancel: () => cancelOpenCalls(log, find),
    outcomes: async () => (await log.list()).map(({ outcome }) => outcome),
  };
}

const unavailable = new GeneratorError({ kind: 'unavailable' }, 'no connection');
const noAddress = new GeneratorError({ kind: 'unavailable' }, 'fal named an address that is none.', {
  mayBeCharged: true,
});

describe('a call without a task', () => {
  it('is not taken for lost while another process may still be submitting it', async () => {
    const job = calls();
    await job.begin(null);
    job.later(NAMED_WITHIN_MS - 5000);
    await expect(job.endLost()).rejects.toMatchObject({
      failure: { kind: 'unavailable', retryAfterMs: 5000 },
    });
    await expect(job.cancel()).rejects.toMatchObject({ failure: { kind: 'unavailable' } });
    expect(await job.outcomes()).toEqual([null]);

    job.later(5000);
    expect(await job.endLost()).toMatchObject([{ outcome: 'lost' }]);
  });

  it('is lost at once where the upstream has no tasks', async () => {
    const job = calls(null);
    await job.begin(null);
    expect(await job.endLost()).toMatchObject([{ outcome: 'lost' }]);
  });
});

describe('a job that ends without a result', () => {
  it('has its tasks cancelled, once', async () => {
    const cancelled: UpstreamTask[] = [];
    const job = calls({ cancel: async (task) => void cancelled.push(task) });
    await job.begin(TASK);
    await job.cancel();
    await job.cancel();
    expect(cancelled).toEqual([TASK]);
    expect(await job.log.list()).toMatchObject([{ outcome: 'cancelled', error: null, mayBeCharged: true }]);
  });

  it('keeps a task for a later attempt while its upstream cannot be reached', async () => {
    const job = calls({ cancel: () => Promise.reject(unavailable) });
    await job.begin(TASK);
    await expect(job.cancel()).rejects.toBe(unavailable);
    expect(await job.outcomes()).toEqual([null]);
  });

  it('has the other task cancelled when one cannot be cancelled yet', async () => {
    const cancel = ({ id }: UpstreamTask) => (id === 't1' ? Promise.reject(unavailable) : Promise.resolve());
    const job = calls({ cancel });
    await job.begin(TASK);
    await job.begin({ id: 't2' });
    await expect(job.cancel()).rejects.toBe(unavailable);
    expect(await job.outcomes()).toEqual([null, 'cancelled']);
  });

  it.each([
    ['cannot cancel', {}, 'fal', 'fal cannot cancel a task.'],
    [
      'refuses to cancel',
      { cancel: () => Promise.reject(new GeneratorError({ kind: 'misconfigured' }, 'It has ended.')) },
      'fal',
      'It has ended.',
    ],
    [
      'named no address to cancel it',
      { cancel: () => Promise.reject(noAddress) },
      'fal',
      'fal named an address that is none.',
    ],
    ['is no longer configured', {}, 'bfl', 'bfl is no longer configured: its task could not be cancelled.'],
  ])('says why a task may go on when its upstream %s', async (_, tasks, generator, error) => {
    const job = calls(tasks);
    await job.begin(TASK, generator);
    await job.cancel();
    expect(await job.log.list()).toMatchObject([{ outcome: 'cancelled', error }]);
  });

  it('leaves calls that have ended as they are', async () => {
    const job = calls();
    await job.begin(TASK);
    const [call] = await job.log.list();
    await job.log.update(call?.id ?? '', { outcome: 'refused', reason: 'safety' });
    await job.cancel();
    expect(await job.outcomes()).toEqual(['refused']);
  });
});
