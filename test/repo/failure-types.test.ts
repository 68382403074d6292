import { ensureApplicationFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { createCompletionActivities } from '../../activities/jobs/completion.ts';
import { renderFailure } from '../../activities/jobs/render-failure.ts';
import { createDeliveryActivities } from '../../activities/webhooks/pending-delivery.ts';
import { sourceFiles } from '../../dev/lint/source-files.ts';
import { NotFound } from '../../lib/domain/errors.ts';
import { GeneratorError } from '../../lib/generators/errors.ts';
import { ImageError, ImageProcessEnded } from '../../lib/imaging/errors.ts';
import { FAILURES, type FailureType } from '../../lib/protocol/failure-types.ts';
import { ImageMissing } from '../../lib/stores/image-store.ts';
import { createFakeStores } from '../fakes/stores.ts';
import { reportedIn } from './reported-failures.ts';

const reported = ['activities', 'workflows']
  .flatMap((folder) => sourceFiles(folder))
  .map((path) => reportedIn(path));
const policies = reported.flatMap((file) => file.policies);

test('every row of the table has its type as its name', () => {
  for (const [name, { type }] of Object.entries(FAILURES)) expect(type).toBe(name);
});

test('activities and workflows take every type of a failure from the table', () => {
  const types = reported.flatMap((file) => file.types);
  expect(types.length).toBeGreaterThan(4);
  for (const type of types) expect(type).toMatch(/^(failure|FAILURES(\.\w+|\[outcome\]))\.type$/);
  // @ts-expect-error A type that is not in the table does not compile.
  expect(FAILURES.NotFuond).toBeUndefined();
});

describe('a retry policy', () => {
  const deps = { stores: createFakeStores(), images: { remove: async () => [], resultUrl: String } };
  const { completeJob, failJob } = createCompletionActivities(deps);
  const { reopenDelivery, openTestDelivery } = createDeliveryActivities(deps);
  /** Calls each activity with an id that does not exist. */
  const calls: Record<string, () => Promise<unknown>> = {
    completeJob: () => completeJob('none', { results: [], processingMs: 1 }),
    failJob: () => failJob('none', { error: 'No image.', failureReason: 'no_result', processingMs: 1 }),
    reopenDelivery: () => reopenDelivery('none', 'cycle'),
    openTestDelivery: () => openTestDelivery('msg_1', 'none'),
  };

  /** The type that Temporal gets, as the SDK derives it from what the activity throws. */
  const thrownBy = async (activity: string) => {
    const outcome = calls[activity]?.() ?? Promise.resolve();
    return outcome.then(
      () => undefined,
      (error) => ensureApplicationFailure(error).type,
    );
  };

  test('names only failures that are final and that one of its activities throws', async () => {
    expect(policies).not.toHaveLength(0);
    for (const { activities, types } of policies) {
      const thrown = await Promise.all(activities.map(thrownBy));
      for (const type of types) {
        const row = Object.values(FAILURES).find((failure) => `FAILURES.${failure.type}.type` === type);
        expect(row, type).toMatchObject({ retry: 'no' });
        expect(thrown, activities.join(', ')).toContain(row?.type);
      }
    }
  });
});

describe('a render that fails', () => {
  /** Whether the failure is final, before and on the last try. */
  const FINAL = { no: [true, true], limited: [false, true], yes: [false, false] };

  test.each<[FailureType, Error]>([
    ['invalid_image', new ImageError('The image is truncated.')],
    ['input_missing', new ImageMissing('a/b.png')],
    ['image_process_ended', new ImageProcessEnded('memory', 'It used too much memory.')],
    ['generator_refused', new GeneratorError({ kind: 'refused', reason: 'safety' }, 'Refused.')],
    ['generator_unavailable', new GeneratorError({ kind: 'unavailable' }, 'Busy.')],
    ['generator_misconfigured', new GeneratorError({ kind: 'misconfigured' }, 'No key.')],
    ['generator_exhausted', new GeneratorError({ kind: 'exhausted' }, 'Two calls.')],
    ['NotFound', new NotFound('There is no job.')],
    ['render_error', new Error('connect ECONNREFUSED')],
  ])('is reported as %s, and retried as the table says', (type, error) => {
    const failures = [false, true].map((lastTry) => renderFailure(error, { processingMs: 5, lastTry }));
    expect(failures).toMatchObject(
      FINAL[FAILURES[type].retry].map((nonRetryable) => ({ type, nonRetryable })),
    );
  });
});

describe('the check of the source', () => {
  test('finds types that are written as strings', () => {
    const text = `
      const { pay, refund } = proxyActivities({ retry: { nonRetryableErrorTypes: ['NotFound'] } });
      throw ApplicationFailure.create({ message, type: 'late' });
      throw ApplicationFailure.nonRetryable(message, 'lost');`;
    expect(reportedIn('piece.ts', text)).toEqual({
      policies: [{ activities: ['pay', 'refund'], types: ["'NotFound'"] }],
      types: ["'late'", "'lost'"],
    });
  });
});
