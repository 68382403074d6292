import sharp from 'sharp';
import { expect, it } from 'vitest';
import { type RenderAttempt, renderUpstream } from '../../../activities/jobs/render-image.ts';
import { createLimit } from '../../../lib/admission/limit.ts';
import { findTool, planRender } from '../../../lib/catalog/catalog.ts';
import { createImageTasks } from '../../../lib/generators/tasks.ts';
import { type EndReason, ImageProcessEnded } from '../../../lib/imaging/errors.ts';
import type { RenderInput } from '../../../lib/protocol/render.ts';
import { unusedUpstream } from '../../lib/generators/fake-calls.ts';
import { invert } from '../../setup/generators.ts';

const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
const tasks = createImageTasks({ watermarkText: 'sample' });

/**
 * Image tasks in this process. The first `times` that finish a result end as processes end for this
 * reason.
 */
function endingWith(reason: EndReason, times: number): RenderAttempt['imageTasks'] {
  let left = times;
  return {
    limits: { processes: { held: 0, waiting: 0 }, memory: { held: 0, waiting: 0 } },
    async run(task, input) {
      if (task === 'finishUpstream' && left-- > 0) throw new ImageProcessEnded(reason, 'ended');
      return (await tasks[task](input as never)) as never;
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

/** One call to an upstream that returns the image itself. */
async function renderOnce(imageTasks: RenderAttempt['imageTasks']) {
  const image = await sharp({ create: { width: 640, height: 480, channels: 3, background: '#000', noise } })
    .jpeg()
    .toBuffer();
  const { signal } = new AbortController();
  const tool = findTool('declutter');
  const planned = tool === undefined ? undefined : planRender(tool);
  if (!planned?.ok) throw new Error('There is no such tool.');
  const input: RenderInput = {
    jobId: 'job',
    accountId: 'account',
    plan: planned.plan,
    format: 'jpeg',
    input: { bucket: 'inputs', key: 'key' },
    mayHaveEnded: false,
  };
  const attempt: RenderAttempt = {
    input,
    load: async () => image,
    inMemory: createLimit({ total: 1, perOwner: 1 }),
    watermark: false,
    imageTasks,
    signal,
    cancelled: signal,
  };
  const generator = unusedUpstream('openai', {
    render: async ({ request }) => invert(await request()),
  });
  const call = { resume: undefined, ended: signal, begin: async () => {}, onSubmitted: async () => {} };
  return renderUpstream(attempt, generator, call);
}

it('an image that was paid for is finished although the system has killed a process', async () => {
  expect(await renderOnce(endingWith('killed', 2))).toMatchObject({ ok: true });
});

it('an image for which no process lives is given up', async () => {
  await expect(renderOnce(endingWith('killed', 3))).rejects.toMatchObject({ reason: 'killed' });
});

it('an image that ends its process is not tried again', async () => {
  await expect(renderOnce(endingWith('crash', 1))).rejects.toMatchObject({ failure: { kind: 'refused' } });
});
