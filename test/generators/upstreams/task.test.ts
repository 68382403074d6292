import { expect, it } from 'vitest';
import type { UpstreamTask } from '../../../domain/generator-call.ts';
import { runTask, type TaskShapes } from '../../../generators/upstream/task.ts';
import { QUICK, requestOf } from './fake.ts';

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

it('a task that has not ended after half an hour is cancelled, and counts as charged', async () => {
  const cancelled: string[] = [];
  const shapes: TaskShapes = {
    submit: () => Promise.reject(new Error('It is resumed.')),
    poll: async () => undefined,
    cancel: async ({ id }) => void cancelled.push(id),
  };
  const resume = { id: 't1', submittedAt: minutesAgo(31) };
  await expect(runTask(shapes, await requestOf({ resume }), QUICK)).rejects.toMatchObject({
    failure: { kind: 'unavailable' },
    mayBeCharged: true,
  });
  expect(cancelled).toEqual(['t1']);
});

it('a task names when it was submitted, for later attempts', async () => {
  const shapes: TaskShapes = {
    submit: async () => ({ id: 't1' }),
    poll: async () => ({ bytes: Buffer.of(1), costUsd: null }),
  };
  const named: string[] = [];
  const onSubmitted = async (task: UpstreamTask) => void named.push(task.submittedAt ?? '');
  await runTask(shapes, await requestOf({ onSubmitted }), QUICK);
  expect(Math.abs(Date.parse(named[0] ?? '') - Date.now())).toBeLessThan(60_000);
});
