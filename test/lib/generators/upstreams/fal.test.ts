import { expect, test } from 'vitest';
import type { UpstreamTask } from '../../../../lib/domain/generator-call.ts';
import { renderOf } from './fake.ts';
import { startFal } from './fal.ts';

test('a task of fal that has no address to cancel it cannot be cancelled later either', async () => {
  await using fake = await startFal();
  const { submit } = fake.replies;
  const tasks: UpstreamTask[] = [];
  const onSubmitted = async (task: UpstreamTask) => void tasks.push(task);
  if ('json' in submit)
    fake.replies.submit = { ...submit, json: { ...Object(submit.json), cancel_url: null } };
  await fake.generator.render(await renderOf({ onSubmitted }));

  const [task = { id: '' }] = tasks;
  expect(task).not.toHaveProperty('cancelUrl');
  await expect(fake.generator.tasks?.cancel?.(task)).rejects.toMatchObject({
    failure: { kind: 'unavailable' },
    mayBeCharged: true,
  });
});
