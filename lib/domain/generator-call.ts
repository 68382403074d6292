import type { ObjectRef } from './records.ts';

/** Why a model returned no usable image, whichever upstream it is. */
export type RefusalReason = 'safety' | 'no_result' | 'invalid_input';

/**
 * How a call ended. `lost`: its response never arrived, or the upstream no longer knows the task.
 */
export type CallOutcome = 'completed' | 'refused' | 'unavailable' | 'misconfigured' | 'lost' | 'cancelled';

/**
 * A task that runs at an upstream: its id, and all else that a later request for it needs. Plain
 * JSON.
 */
export type UpstreamTask = Readonly<Record<string, string>> & { readonly id: string };

/** One call to an upstream that may create an image, recorded before it is sent. */
export interface GeneratorCall {
  id: string;
  generator: string;
  model: string;
  /**
   * Set as soon as the upstream has named the task; always null at an upstream that has no tasks.
   */
  task: UpstreamTask | null;
  /** By the clock of the store, like `endedAt`. */
  startedAt: Date;
  /**
   * Milliseconds since `startedAt` when the call was listed. Clocks of renderers are not compared.
   */
  ageMs: number;
  /** When the process that makes the call last said that it is alive, by the clock of the store. */
  beatAt: Date;
  /** Milliseconds since `beatAt` when the call was listed. */
  silentMs: number;
  endedAt: Date | null;
  /** Null while the call is in progress, or when its process died. */
  outcome: CallOutcome | null;
  /** Set when `outcome` is `refused`. */
  reason: RefusalReason | null;
  /** Whether the upstream may charge for the call: true until a response shows that it does not. */
  mayBeCharged: boolean;
  /** What the upstream charges, in US dollars; null when it does not say. */
  costUsd: number | null;
  /** The stored result; set with the outcome `completed`. */
  result: ObjectRef | null;
  /** Share of the input's strong edges that the result has as well, 0 to 1. */
  edgeRecall: number | null;
  /** What went wrong, for the operator. */
  error: string | null;
  /**
   * Earlier calls to this generator that failed and cost nothing. This record has replaced theirs.
   */
  earlierFailures: number;
}

/**
 * Calls of one job that upstreams may charge for. The second one is for a response that was lost.
 */
export const MOST_CHARGED_CALLS = 2;

/** Tasks of one job that may fail at an upstream that charges nothing. */
export const MOST_FAILED_TASKS = 3;

/** Whether the end of the call is unknown: its task may still be running. */
export const isOpen = ({ outcome }: Pick<GeneratorCall, 'outcome'>): boolean => outcome === null;

/** Whether the upstream ran a task for this call, and the task failed. */
export const hasFailedTask = ({ task, outcome }: GeneratorCall): boolean =>
  task !== null && outcome === 'unavailable';

/** Whether the record may be replaced by that of the next call to its generator. */
const isReplaceable = (call: GeneratorCall): boolean =>
  !call.mayBeCharged &&
  !hasFailedTask(call) &&
  (call.outcome === 'unavailable' || call.outcome === 'lost' || call.outcome === 'cancelled');

/** A call as it is stored. The ages are computed when it is listed. */
export type StoredCall = Omit<GeneratorCall, 'ageMs' | 'silentMs'>;

/**
 * The objects that calls have stored and the job does not use: a call whose result came too late,
 * for instance.
 */
export function unusedResults(
  calls: readonly Pick<GeneratorCall, 'result'>[] = [],
  used: readonly ObjectRef[] = [],
): ObjectRef[] {
  const keys = new Set(used.map(({ key }) => key));
  return calls.flatMap(({ result }) => (result === null || keys.has(result.key) ? [] : [result]));
}

/**
 * The fields that may change after a call has begun. With an `outcome`, the store sets `endedAt`.
 */
export type CallChanges = Partial<
  Omit<StoredCall, 'id' | 'generator' | 'model' | 'startedAt' | 'beatAt' | 'endedAt' | 'earlierFailures'>
>;

/** The fields that are known before a call is sent. */
export type NewCall = Pick<GeneratorCall, 'id' | 'generator' | 'model' | 'mayBeCharged'>;

/**
 * - `changed`: Since the calls were listed, another call began or one of them ended. Decide again
 *   whether this call may begin.
 * - `ended`: The job is no longer processing.
 */
export type Beginning = 'begun' | 'changed' | 'ended';

/** The record of the generator's earlier calls that the record of a new call replaces. */
export const replacedBy = ({ generator }: NewCall, calls: readonly GeneratorCall[]) =>
  calls.find((call) => call.generator === generator && isReplaceable(call));

/**
 * A call that has just begun. The store adds the times.
 * @param replaced see {@link replacedBy}
 */
export function newCall(
  call: NewCall,
  replaced: GeneratorCall | undefined,
): Omit<StoredCall, 'startedAt' | 'beatAt'> {
  return {
    ...call,
    earlierFailures: replaced === undefined ? 0 : replaced.earlierFailures + 1,
    task: null,
    endedAt: null,
    outcome: null,
    reason: null,
    costUsd: null,
    result: null,
    edgeRecall: null,
    error: null,
  };
}

/** The calls of one job. */
export interface CallLog {
  /** The oldest first. */
  list(): Promise<readonly GeneratorCall[]>;
  /**
   * Records a call before it is sent.
   * @param listed the calls that the decision to begin this one rests on
   */
  begin(call: NewCall, listed: readonly GeneratorCall[]): Promise<Beginning>;
  /**
   * Records that the process that makes the call is alive.
   * @returns false when nobody needs the call: its job has ended, or it has an outcome. True for a
   * call that was taken for lost, and for an unknown job
   */
  beat(callId: string): Promise<boolean>;
  /**
   * With a `task`, changes only an open call: nobody looks for the task of a call that has ended.
   * With the `task` null, changes only an open call that has no task yet. With a `result`, changes
   * only a call without a result: the first result stays.
   * @returns whether the call was changed
   */
  update(callId: string, changes: CallChanges): Promise<boolean>;
}

/**
 * A call as Temporal and the operator show it: the model, the outcome, the time and the cost.
 */
export interface CallSummary {
  generator: string;
  model: string;
  /** The task's id at the upstream; null where it has none. */
  upstreamId: string | null;
  outcome: GeneratorCall['outcome'];
  seconds: number | null;
  costUsd: number | null;
  mayBeCharged: boolean;
  edgeRecall: number | null;
  error: string | null;
  earlierFailures: number;
}

export const summarizeCall = (call: GeneratorCall): CallSummary => ({
  generator: call.generator,
  model: call.model,
  upstreamId: call.task?.id ?? null,
  outcome: call.outcome,
  seconds: call.endedAt === null ? null : (call.endedAt.getTime() - call.startedAt.getTime()) / 1000,
  costUsd: call.costUsd,
  mayBeCharged: call.mayBeCharged,
  edgeRecall: call.edgeRecall,
  error: call.error,
  earlierFailures: call.earlierFailures,
});
