import { ApplicationFailure, isCancellation, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { Batch, Done } from '../activities/retention/page.ts';
import { escaped } from '../lib/domain/markdown.ts';
import { FAILURES, type Failure } from '../lib/protocol/failure-types.ts';

/**
 * Problems that a run keeps. It drops further ones, so that the input of continue-as-new stays
 * small.
 */
const MAX_PROBLEMS = 50;

/** Batches before the workflow continues as new, which keeps its history short. */
const MAX_BATCHES = 100;

export interface Step<Name extends string> {
  name: Name;
  title: string;
}

/** What a run has done so far, and what failed. */
export interface Tally<Counts> {
  counts: Counts;
  problems: string[];
}

/**
 * Input of continue-as-new. It names the step, so that a release can add steps while a run is in
 * progress.
 */
export interface RunProgress<Name extends string, Counts> extends Tally<Counts> {
  /** Step to resume; null to start with the first one. */
  step: Name | null;
  /** Cursor within that step; '' to start it. */
  after: string;
}

export interface StepRun<Name extends string, Counts> {
  steps: readonly Step<Name>[];
  progress: RunProgress<Name, Counts>;
  runBatch(name: Name, after: string): Promise<Batch<Counts>>;
  continueAsNew(progress: RunProgress<Name, Counts>): Promise<never>;
  /** The counts as paragraphs, for the Temporal UI. */
  paragraphs(counts: Counts): readonly string[];
  /** The workflow fails with this when items or steps kept failing. */
  failure: Failure;
}

/**
 * Runs the steps batch by batch. Skips an item or a step that keeps failing; the workflow then
 * fails at its end.
 */
export async function runSteps<Name extends string, Counts extends Record<keyof Counts, number>>(
  run: StepRun<Name, Counts>,
): Promise<Counts> {
  const { progress, failure } = run;
  const tally = { counts: { ...progress.counts }, problems: [...progress.problems] };
  let batches = 0;
  for (const { name, title } of remaining(run.steps, progress.step)) {
    let after: string | null = name === progress.step ? progress.after : '';
    while (after !== null) {
      if (batches >= MAX_BATCHES || workflowInfo().continueAsNewSuggested)
        return run.continueAsNew({ step: name, after, ...tally });
      batches += 1;
      const cursor: string = after;
      const batch = await orProblem(tally, title, () => run.runBatch(name, cursor));
      setCurrentDetails(
        [`${title}.`, ...run.paragraphs(tally.counts), ...tally.problems.map(escaped)].join('\n\n'),
      );
      after = batch?.next ?? null;
    }
  }
  const { counts, problems } = tally;
  if (problems.length === 0) return counts;
  const message = problems.join('\n');
  throw ApplicationFailure.create({ message, type: failure.type, nonRetryable: true, details: [counts] });
}

/** The named step and those after it. */
function remaining<Name extends string>(steps: readonly Step<Name>[], name: Name | null) {
  if (name === null) return steps;
  const index = steps.findIndex((step) => step.name === name);
  if (index >= 0) return steps.slice(index);
  const message = `There is no step "${name}". Start the workflow again.`;
  throw ApplicationFailure.nonRetryable(message, FAILURES.unknown_step.type);
}

/**
 * Adds what the work has done, or why it failed, to the tally.
 * @returns undefined when it failed
 */
export async function orProblem<Counts extends Record<keyof Counts, number>, T extends Done<Counts>>(
  { counts, problems }: Tally<Counts>,
  title: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const report = (found: readonly string[]) => {
    const left = Math.max(0, MAX_PROBLEMS - problems.length);
    problems.push(...found.slice(0, left).map((problem) => `${title}: ${problem}`));
  };
  try {
    const done = await work();
    for (const key of Object.keys(done.counts) as (keyof Counts)[])
      Object.assign(counts, { [key]: counts[key] + (done.counts[key] ?? 0) });
    report(done.problems ?? []);
    return done;
  } catch (error) {
    if (isCancellation(error)) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    report([cause instanceof Error ? cause.message : String(cause)]);
    return undefined;
  }
}
