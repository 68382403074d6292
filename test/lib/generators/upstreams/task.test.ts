import { expect, test } from 'vitest';
import { GeneratorError } from '../../../../lib/generators/errors.ts';
import { createTaskGenerator, type TaskShapes } from '../../../../lib/generators/upstream/task.ts';
import { QUICK_TIMING, renderOf } from './fake.ts';

const RESULT = { bytes: Buffer.of(1), costUsd: null };
const RESUMED: Pick<TaskShapes, 'submit'> = {
  submit: () => Promise.reject(new Error('It is resumed.')),
};

const generatorWith = (shapes: TaskShapes, timing = QUICK_TIMING) =>
  createTaskGenerator({ name: 'test', model: 'm', charges: true }, shapes, timing);

test('a task that has not ended after half an hour is cancelled, and counts as charged', async () => {
  const cancelled: string[] = [];
  const shapes: TaskShapes = {
    ...RESUMED,
    poll: async () => undefined,
    cancel: async ({ id }) => void cancelled.push(id),
  };
  const resume = { task: { id: 't1' }, since: performance.now() - 31 * 60_000 };
  await expect(generatorWith(shapes).render(await renderOf({ resume }))).rejects.toMatchObject({
    failure: { kind: 'unavailable' },
    mayBeCharged: true,
  });
  expect(cancelled).toEqual(['t1']);
});

test('a task that ended while nobody looked at it for half an hour has its result', async () => {
  let polls = 0;
  const cancelled: string[] = [];
  const shapes: TaskShapes = {
    ...RESUMED,
    async poll() {
      polls += 1;
      if (polls === 1) throw new GeneratorError({ kind: 'unavailable' }, 'The upstream is down.');
      return RESULT;
    },
    cancel: async ({ id }) => void cancelled.push(id),
  };
  const resume = { task: { id: 't1' }, since: performance.now() - 31 * 60_000 };
  expect(await generatorWith(shapes).render(await renderOf({ resume }))).toEqual(RESULT);
  expect(cancelled).toEqual([]);
});

test('a task that is resumed does not prepare the input', async () => {
  const shapes: TaskShapes = {
    ...RESUMED,
    poll: async () => RESULT,
  };
  const request = () => Promise.reject(new Error('It is prepared.'));
  const render = await renderOf({ resume: { task: { id: 't1' }, since: performance.now() } });
  expect(await generatorWith(shapes).render({ ...render, request })).toEqual(RESULT);
});

test('a task that one poll does not find may be known to the next', async () => {
  let polls = 0;
  const shapes: TaskShapes = {
    submit: async () => ({ id: 't1' }),
    async poll() {
      polls += 1;
      if (polls < 3) throw new GeneratorError({ kind: 'lost' }, 'There is no such task.');
      return RESULT;
    },
  };
  expect(await generatorWith(shapes).render(await renderOf())).toEqual(RESULT);
});
