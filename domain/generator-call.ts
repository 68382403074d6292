import type { ObjectRef } from './records.ts';

/** Why a model returned no usable image, whichever upstream it is. */
export type RefusalReason = 'safety' | 'no_result' | 'invalid_input';

/** How a call ended. `lost`: its response never arrived, or the upstream no longer knows the task. */
export type CallOutcome = 'completed' | 'refused' | 'unavailable' | 'misconfigured' | 'lost' | 'cancelled';

/** A task that runs at an upstream: its id, and whatever else asking for it again takes. Plain JSON. */
export type UpstreamTask = Readonly<Record<string, string>> & { readonly id: string };

/** One call to an upstream that may create an image, recorded before it is sent. */
export interface GeneratorCall {
  id: string;
  generator: string;
  model: string;
  /** Set as soon as the upstream has named the task; always null at an upstream that has no tasks. */
  task: UpstreamTask | null;
  /** By the clock of the store, like `endedAt`. */
  startedAt: Date;
  /** Milliseconds since `startedAt` when the call was listed. Clocks of renderers are not compared. */
  ageMs: number;
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
}

/** Calls of one job that upstreams may charge for. The second one is for a response that was lost. */
export const MOST_CHARGED_CALLS = 2;

/** Whether nobody has learnt yet how the call has ended: its task may be running. */
export const isOpen = ({ outcome }: GeneratorCall): boolean => outcome === null;

/** What may change in a call after it has begun. With an `outcome`, the store sets `endedAt`. */
export type CallChanges = Partial<
  Omit<GeneratorCall, 'id' | 'generator' | 'model' | 'startedAt' | 'endedAt' | 'ageMs'>
>;

/** What is known of a call before it is sent. */
export type NewCall = Pick<GeneratorCall, 'generator' | 'model' | 'mayBeCharged'>;

/** A call that has just begun, without the times, which are the store's. */
export function newCall(id: string, call: NewCall): Omit<GeneratorCall, 'startedAt' | 'ageMs'> {
  return {
    id,
    ...call,
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
   * @returns its id; undefined, and nothing is recorded, when {@link MOST_CHARGED_CALLS} are used up or the job has ended
   */
  begin(call: NewCall): Promise<string | undefined>;
  /**
   * A `task` is recorded only in a call that is open: nobody would look for it in one that has ended.
   * @returns whether the call was changed
   */
  update(callId: string, changes: CallChanges): Promise<boolean>;
}

/** A call as Temporal and the operator show it: which model did what, for how long and for how much. */
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
});
