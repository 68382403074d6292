import { describe, expect, it } from 'vitest';
import type { UpstreamTask } from '../../../lib/domain/generator-call.ts';
import { GeneratorError } from '../../../lib/generators/errors.ts';
import { cancelOpenCalls, endLostCalls } from '../../../lib/generators/open-calls.ts';
import type { UpstreamTasks } from '../../../lib/generators/port.ts';
import { beginCall, fakeCallLog, unusedUpstream } from './fake-calls.ts';

const LIVENESS = { beatMs: 1, silentMs: 45_000 };
const TASK = { id: 't1' };
const { signal } = new AbortController();

/** The calls of one job at one upstream. */
function calls(tasks: UpstreamTasks = {}) {
  let now = 0;
  const log = fakeCallLog(() => now);
  const upstream = unusedUpstream('fal', { tasks });
  const find = (name: string) => (name === 'fal' ? upstream : undefined);
  return {
    log,
    later(ms: number) {
      now += ms;
    },
    async begin(task: UpstreamTask | null, generator = 'fal') {
      const id = await beginCall(log, { generator, model: 'm', mayBeCharged: true });
      if (task !== null) await log.update(id, { task });
      return id;
    },
    endLost: (changes = {}) => endLostCalls({ ...log, ...changes }, find, signal, LIVENESS),
    cancel: (changes = {}) => cancelOpenCalls({ ...log, ...changes }, find),
    outcomes: async () => (await log.list()).map(({ outcome }) => outcome),
  };
}

const unavailable = new GeneratorError({ kind: 'unavailable' }, 'no connection');
const noAddress = new GeneratorError({ kind: 'unavailable' }, 'fal named an address that is no URL.', {
  mayBeCharged: true,
});
const waits = { failure: { kind: 'unavailable', waits: true } };

describe('a call without a task', () => {
  it('is waited for while its process says that it is alive', async () => {
    const job = calls();
    const id = await job.begin(null);
    job.later(LIVENESS.silentMs - 1);
    await expect(job.endLost()).rejects.toMatchObject(waits);
    await job.log.beat(id);
    job.later(LIVENESS.silentMs - 1);
    await expect(job.endLost()).rejects.toMatchObject(waits);
    expect(await job.outcomes()).toEqual([null]);

    job.later(1);
    expect(await job.endLost()).toMatchObject([{ outcome: 'lost', mayBeCharged: true }]);
  });

  it('is waited for when its process is heard again while it is watched', async () => {
    const job = calls();
    const id = await job.begin(null);
    job.later(LIVENESS.silentMs);
    let lists = 0;
    const list = async () => {
      lists += 1;
      if (lists === 2) await job.log.beat(id);
      return job.log.list();
    };
    await expect(job.endLost({ list })).rejects.toMatchObject(waits);
    expect(await job.outcomes()).toEqual([null]);
  });

  it('is not lost when its task is named at the last moment', async () => {
    const job = calls();
    const id = await job.begin(null);
    job.later(LIVENESS.silentMs);
    const update: typeof job.log.update = async (...change) => {
      await job.log.update(id, { task: TASK });
      return job.log.update(...change);
    };
    expect(await job.endLost({ update })).toMatchObject([{ outcome: null, task: TASK }]);
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
    expect(await job.log.list()).toMatchObject([{ outcome: 'cancelled', error: null }]);
  });

  it('leaves a task to a later attempt while its upstream cannot be reached', async () => {
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

  it('ends a call that has no task yet, so that its process cancels the task itself', async () => {
    const job = calls({ cancel: () => Promise.reject(new Error('There is no task.')) });
    const id = await job.begin(null);
    await job.cancel();
    expect(await job.outcomes()).toEqual(['cancelled']);
    expect(await job.log.update(id, { task: TASK })).toBe(false);
  });

  it('has a task cancelled that is named while its call is being ended', async () => {
    const cancelled: UpstreamTask[] = [];
    const job = calls({ cancel: async (task) => void cancelled.push(task) });
    const id = await job.begin(null);
    const update: typeof job.log.update = async (...change) => {
      if (cancelled.length === 0) await job.log.update(id, { task: TASK });
      return job.log.update(...change);
    };
    await job.cancel({ update });
    expect(cancelled).toEqual([TASK]);
    expect(await job.outcomes()).toEqual(['cancelled']);
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
      'fal named an address that is no URL.',
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
