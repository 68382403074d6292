import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MOST_CHARGED_CALLS } from '../../../lib/domain/generator-call.ts';
import { createBreaker } from '../../../lib/generators/breaker.ts';
import { GeneratorError, type GeneratorFailure } from '../../../lib/generators/errors.ts';
import { renderWithFailover } from '../../../lib/generators/failover.ts';
import { ATTEMPT, fakeCallLog, unusedUpstream } from './fake-calls.ts';

const failure: fc.Arbitrary<GeneratorFailure> = fc.oneof(
  fc.constant({ kind: 'unavailable' as const }),
  fc.constant({ kind: 'unavailable' as const, retryAfterMs: 20_000 }),
  fc.constant({ kind: 'misconfigured' as const }),
  fc.constant({ kind: 'lost' as const }),
  fc.constant({ kind: 'refused' as const, reason: 'no_result' as const }),
);
/** What happens to one use of a generator: whether it names a task, and how it ends. */
const use = fc.record({
  namesTask: fc.boolean(),
  ends: fc.oneof(
    fc.constant('crash' as const),
    fc.constant('image' as const),
    fc.tuple(failure, fc.boolean()),
  ),
});

describe('whatever happens to a job', () => {
  test('upstreams are asked for two images at most, and for none while a task may be running', async () => {
    const names = ['bfl', 'gemini', 'fal'];
    const property = fc.asyncProperty(
      fc.array(use, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 3 }),
      fc.boolean(),
      async (script, generators, onRefused) => {
        const job = play(script, names.slice(0, generators), onRefused);
        for (const _ of script) await job.attempt();
        expect(job.charged()).toBeLessThanOrEqual(MOST_CHARGED_CALLS);
        expect(job.leftBehind()).toBe(0);
      },
    );
    await fc.assert(property, { numRuns: 1000 });
  });
});

/** Upstreams that keep their own books of what they were asked for. */
function play(
  script: readonly (typeof use extends fc.Arbitrary<infer T> ? T : never)[],
  names: string[],
  onRefused: boolean,
) {
  const log = fakeCallLog();
  const steps = [...script];
  const running = new Set<string>();
  let charged = 0;
  let leftBehind = 0;
  const candidates = names.map((name) => unusedUpstream(name));

  return {
    charged: () => charged,
    leftBehind: () => leftBehind,
    async attempt() {
      const deps = {
        ...ATTEMPT,
        candidates,
        log,
        // A new one each time: the breaker must not be what keeps the promise.
        breakerOf: () => createBreaker(),
        onRefused,
        find: (found: string) => candidates.find(({ name }) => name === found),
        mayHaveCalls: true,
      };
      await renderWithFailover(deps, {
        local: () => Promise.reject(new Error('unused')),
        async upstream(_, { resume, begin, onSubmitted }) {
          if (resume === undefined) await begin();
          const step = steps.shift() ?? { namesTask: false, ends: 'crash' as const };
          let current = resume?.task.id;
          if (current === undefined) {
            if (running.size > 0) leftBehind += 1;
            charged += 1;
            if (step.namesTask) {
              current = `task ${charged}`;
              running.add(current);
              await onSubmitted({ id: current });
            }
          }
          if (step.ends === 'crash') throw new Error('crash');
          if (step.ends === 'image') {
            if (current !== undefined) running.delete(current);
            return { result: { bucket: 'results', key: 'a' }, costUsd: null, edgeRecall: null };
          }
          const [failed, mayBeCharged] = step.ends;
          const goesOn = failed.kind === 'unavailable' && !mayBeCharged && current !== undefined;
          if (current !== undefined && !goesOn) running.delete(current);
          // A call that named no task and is said not to be charged was not.
          if (current === undefined && !mayBeCharged) charged -= 1;
          throw new GeneratorError(failed, 'no', { mayBeCharged });
        },
      }).catch(() => {});
    },
  };
}
