import { describe, expect, it } from 'vitest';
import type { CallLog, UpstreamTask } from '../../../lib/domain/generator-call.ts';
import { createBreaker } from '../../../lib/generators/breaker.ts';
import { GeneratorError, type GeneratorFailure } from '../../../lib/generators/errors.ts';
import { type FailoverDeps, renderWithFailover } from '../../../lib/generators/failover.ts';
import type { UpstreamGenerator } from '../../../lib/generators/port.ts';
import type { CallResult, CurrentCall } from '../../../lib/generators/recorded-call.ts';
import { ATTEMPT, beginCall, fakeCallLog, unusedUpstream } from './fake-calls.ts';

const RESULT = { bucket: 'results', key: 'a/1.jpeg' } as const;
const USED: CallResult = { result: RESULT, costUsd: 0.05, edgeRecall: 0.9 };

type Step =
  | CallResult
  | GeneratorError
  | 'crash'
  | { task: UpstreamTask; next: CallResult | GeneratorError | 'crash' };

const failed = (failure: GeneratorFailure, mayBeCharged = false) =>
  new GeneratorError(failure, 'upstream says no', { mayBeCharged });
const unavailable = (retryAfterMs?: number) =>
  failed({ kind: 'unavailable', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
const lostResponse = failed({ kind: 'unavailable' }, true);
const taskOf = (id: string) => ({ id });

/**
 * Attempts at one job. Each generator follows its script, one step a use; what it did is in `uses`.
 */
function attempts(scripts: Record<string, Step[]>, overrides: Partial<FailoverDeps> = {}) {
  const uses: string[] = [];
  const alarms: string[] = [];
  const log = fakeCallLog();
  const breakers = new Map(Object.keys(scripts).map((name) => [name, createBreaker()]));

  async function use(
    { name }: UpstreamGenerator,
    { resume, begin, onSubmitted }: CurrentCall,
  ): Promise<CallResult> {
    if (resume === undefined) await begin();
    uses.push(resume === undefined ? `${name} submit` : `${name} resume ${resume.task.id}`);
    let step = scripts[name]?.shift();
    if (step === undefined) throw new Error(`The script of ${name} has ended.`);
    if (typeof step === 'object' && 'next' in step) {
      if (resume === undefined) await onSubmitted(step.task);
      step = step.next;
    }
    if (step === 'crash') throw new Error('crash');
    if (step instanceof GeneratorError) throw step;
    return step;
  }

  const candidates = Object.keys(scripts).map((name) => unusedUpstream(name, { charges: name !== 'free' }));

  const run = (changes: Partial<FailoverDeps> = {}) =>
    renderWithFailover(
      {
        ...ATTEMPT,
        candidates,
        find: (found) => candidates.find(({ name }) => name === found),
        log,
        breakerOf: ({ name }) => breakers.get(name) ?? createBreaker(),
        alarm: (name) => alarms.push(name),
        ...overrides,
        ...changes,
      },
      { local: async () => RESULT, upstream: use },
    );
  async function begun(generator: string, task: UpstreamTask): Promise<void> {
    const id = await beginCall(log, { generator, model: 'm', mayBeCharged: true });
    await log.update(id, { task });
  }
  return { run, uses, alarms, begun, log, calls: log.list };
}

const kindOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'rendered',
    (error) => (error instanceof GeneratorError ? error.failure.kind : String(error)),
  );

describe('one generator', () => {
  it('has its response recorded although the calls cannot be read at that moment', async () => {
    const job = attempts({ bfl: [unavailable(), USED] });
    let reads = 0;
    const list = async () => {
      reads += 1;
      if (reads === 2) throw new Error('MongoDB is away');
      return job.calls();
    };
    await kindOf(job.run({ log: { ...job.log, list } }));
    expect(await job.calls()).toMatchObject([{ outcome: 'unavailable', mayBeCharged: false }]);
    expect(await kindOf(job.run())).toBe('rendered');
  });

  it('is asked again by a later attempt when it was unavailable, and nothing is charged for that', async () => {
    const job = attempts({ bfl: [unavailable(), unavailable(), USED] });
    expect([await kindOf(job.run()), await kindOf(job.run()), await kindOf(job.run())]).toEqual([
      'unavailable',
      'unavailable',
      'rendered',
    ]);
    expect((await job.calls()).filter(({ mayBeCharged }) => mayBeCharged)).toHaveLength(1);
  });

  it('resumes its task after a crash, and is submitted to once', async () => {
    const job = attempts({ bfl: [{ task: taskOf('t1'), next: 'crash' }, 'crash', USED] });
    await kindOf(job.run());
    await kindOf(job.run());
    expect(await job.run()).toEqual(RESULT);
    expect(job.uses).toEqual(['bfl submit', 'bfl resume t1', 'bfl resume t1']);
  });

  it('keeps its task while it cannot be reached', async () => {
    const job = attempts({ bfl: [{ task: taskOf('t1'), next: unavailable() }, unavailable(), USED] });
    expect(await kindOf(job.run())).toBe('unavailable');
    expect(await kindOf(job.run())).toBe('unavailable');
    expect(await kindOf(job.run())).toBe('rendered');
    expect(job.uses).toEqual(['bfl submit', 'bfl resume t1', 'bfl resume t1']);
  });

  it('is submitted to once more when it no longer knows the task', async () => {
    const job = attempts({ bfl: [{ task: taskOf('t1'), next: failed({ kind: 'lost' }) }, USED] });
    expect(await kindOf(job.run())).toBe('rendered');
    expect(job.uses).toEqual(['bfl submit', 'bfl submit']);
  });

  it.each([
    ['whose process died', 'crash' as const],
    ['whose response was lost', lostResponse],
    ['whose task failed', { task: taskOf('t1'), next: lostResponse }],
  ])('is called twice at most by a job %s', async (_, step) => {
    const job = attempts({ gemini: [step, step, USED] });
    for (const _ of [1, 2]) await kindOf(job.run());
    expect(await kindOf(job.run())).toBe('exhausted');
    expect(job.uses.filter((use) => use.endsWith('submit'))).toHaveLength(2);
  });

  it('is called as often as needed where nothing is charged', async () => {
    const job = attempts({ free: ['crash', 'crash', 'crash', USED] });
    for (const _ of [1, 2, 3]) await kindOf(job.run());
    expect(await kindOf(job.run())).toBe('rendered');
  });

  it('is not called again for a result that is stored', async () => {
    const job = attempts({ bfl: [USED] });
    await job.run();
    expect(await job.run()).toEqual(RESULT);
    expect(job.uses).toEqual(['bfl submit']);
  });

  it('ends the job when it refuses', async () => {
    const job = attempts({ bfl: [failed({ kind: 'refused', reason: 'safety' }, true)], gemini: [USED] });
    expect(await kindOf(job.run())).toBe('refused');
    expect(await job.calls()).toMatchObject([
      { outcome: 'refused', reason: 'safety', error: 'upstream says no' },
    ]);
  });

  it('is not asked while its breaker is open', async () => {
    const job = attempts({ bfl: [unavailable(60_000)] });
    await kindOf(job.run());
    expect(await kindOf(job.run())).toBe('unavailable');
    expect(job.uses).toEqual(['bfl submit']);
  });
});

describe('a task whose upstream is no longer asked for the tool', () => {
  const started = { task: taskOf('t1'), next: 'crash' as const };

  it.each([
    ['another upstream', unusedUpstream('gemini')],
    ['the built-in generator', { kind: 'local', name: 'preview' } as const],
  ])('is resumed before %s is used', async (_, first) => {
    const job = attempts({ bfl: [started, USED] });
    await kindOf(job.run());
    expect(await job.run({ candidates: [first], mayHaveCalls: true })).toEqual(RESULT);
    expect(job.uses).toEqual(['bfl submit', 'bfl resume t1']);
  });

  it('is lost, and counts as paid, where the upstream is not configured at all', async () => {
    const job = attempts({ gemini: [USED], bfl: [USED] });
    await job.begun('bfl', taskOf('t1'));
    expect(await job.run({ find: (name) => (name === 'bfl' ? undefined : unusedUpstream(name)) })).toEqual(
      RESULT,
    );
    expect(job.uses).toEqual(['gemini submit']);
    expect(await job.calls()).toMatchObject([
      { outcome: 'lost', mayBeCharged: true },
      { generator: 'gemini' },
    ]);
  });
});

describe('a task that is named after its call has ended', () => {
  const slow = (id: string, meanwhile: () => Promise<void>) => {
    const job = attempts({ bfl: [{ task: taskOf(id), next: USED }] });
    const begin = async (...call: Parameters<CallLog['begin']>) => {
      const beginning = await job.log.begin(...call);
      await job.log.update(call[0].id, { outcome: 'lost' });
      await meanwhile();
      return beginning;
    };
    return { ...job, run: () => job.run({ log: { ...job.log, begin } }) };
  };

  it('is not recorded, and the submission learns it', async () => {
    const job = slow('t1', async () => {});
    await expect(job.run()).rejects.toThrow('The call had ended before its task t1 was named.');
    expect(await job.calls()).toMatchObject([{ task: null, outcome: 'lost' }]);
  });

  it('is left alone when another call waits for it', async () => {
    const job = slow('t1', () => job.begun('bfl', taskOf('t1')));
    expect(await job.run()).toEqual(RESULT);
  });
});

describe('the breaker', () => {
  it('stays closed when tasks fail that the upstream has processed', async () => {
    const broken = new GeneratorError({ kind: 'unavailable' }, 'height must be at least 64', {
      mayBeCharged: true,
      upstreamWorks: true,
    });
    const breaker = createBreaker();
    for (const _ of Array.from({ length: 6 }))
      await kindOf(attempts({ replicate: [broken] }, { breakerOf: () => breaker }).run());
    expect(breaker.waitMs()).toBe(0);
  });
});

describe('the next generator', () => {
  it('is asked after three failures of the one before, and then that one has another turn', async () => {
    const down = Array.from({ length: 3 }, () => unavailable());
    const job = attempts({ bfl: [...down, USED], gemini: [...down] });
    for (const _ of Array.from({ length: 5 })) await kindOf(job.run());
    expect(job.uses.map((use) => use.split(' ')[0])).toEqual([
      ...Array.from({ length: 3 }, () => 'bfl'),
      ...Array.from({ length: 3 }, () => 'gemini'),
      'bfl',
    ]);
  });

  it('is asked at once when the one before is misconfigured, with an alarm', async () => {
    const job = attempts({ bfl: [failed({ kind: 'misconfigured' })], gemini: [USED] });
    expect(await kindOf(job.run())).toBe('rendered');
    expect(job.alarms).toEqual(['bfl']);
  });

  it('is asked at once when the one before asks to wait for long', async () => {
    const job = attempts({ bfl: [unavailable(60_000)], gemini: [USED] });
    expect(await kindOf(job.run())).toBe('rendered');
  });

  it('is not asked while a task of the one before may be running', async () => {
    const job = attempts({ bfl: [{ task: taskOf('t1'), next: unavailable(60_000) }], gemini: [USED] });
    expect(await kindOf(job.run())).toBe('unavailable');
    expect(await kindOf(job.run())).toBe('unavailable');
    expect(job.uses).toEqual(['bfl submit']);
  });

  it('is asked after a refusal where the operator wants that', async () => {
    const refusal = failed({ kind: 'refused', reason: 'safety' }, true);
    const job = attempts({ bfl: [refusal], gemini: [USED] }, { onRefused: true });
    expect(await kindOf(job.run())).toBe('rendered');
  });

  it('is asked at once when the one before cannot take the image, and has charged nothing', async () => {
    const job = attempts({ gemini: [failed({ kind: 'refused', reason: 'invalid_input' })], bfl: [USED] });
    expect(await kindOf(job.run())).toBe('rendered');
  });

  it('does not hide the refusal of the one before when it cannot be used itself', async () => {
    const refusal = failed({ kind: 'refused', reason: 'safety' }, true);
    const scripts = { bfl: [refusal], gemini: [failed({ kind: 'misconfigured' })] };
    expect(await kindOf(attempts(scripts, { onRefused: true }).run())).toBe('refused');
  });

  it('does not end the job when it is misconfigured while the one before is down', async () => {
    const down = Array.from({ length: 3 }, () => unavailable());
    const job = attempts({ bfl: [...down, USED], gemini: [failed({ kind: 'misconfigured' })] });
    for (const _ of [1, 2, 3]) expect(await kindOf(job.run())).toBe('unavailable');
    expect(await kindOf(job.run())).toBe('rendered');
  });

  it('shares the limit of two charged calls with the one before', async () => {
    const job = attempts({ openai: [lostResponse], gemini: [lostResponse, USED] }, {});
    await kindOf(job.run());
    // One lost response is not three failures, so the turn is still that of the first one.
    expect(job.uses).toEqual(['openai submit']);
  });
});
