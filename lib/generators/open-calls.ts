import { type CallLog, type GeneratorCall, isOpen, type UpstreamTask } from '../domain/generator-call.ts';
import { pause } from '../process/countdown.ts';
import { GeneratorError } from './errors.ts';
import type { UpstreamGenerator } from './port.ts';

/** The configured upstream of this name. */
export type FindUpstream = (name: string) => UpstreamGenerator | undefined;

/** Times in milliseconds. */
export interface Liveness {
  /** Between two beats of a call. */
  beatMs: number;
  /**
   * A call may be lost when its process has been silent for this long. A usual standstill of a
   * process or of MongoDB is shorter.
   */
  silentMs: number;
}

const LIVENESS: Liveness = { beatMs: 5000, silentMs: 45_000 };

/** Wait of an attempt that could ask no upstream. */
const LOOK_AGAIN_MS = 5000;

interface KeepAlive extends Disposable {
  start(): void;
  /** Aborts when nobody needs the call any more. */
  ended: AbortSignal;
}

/**
 * Says every few seconds that the process of a call is alive, until it is disposed. While `beat`
 * fails, the call goes on.
 */
export function keepAlive(beat: () => Promise<boolean>, { beatMs }: Liveness = LIVENESS): KeepAlive {
  const ended = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const check = async () => {
    if (await beat()) return;
    clearInterval(timer);
    ended.abort(new GeneratorError({ kind: 'exhausted' }, 'The job has ended.'));
  };
  return {
    ended: ended.signal,
    start() {
      timer = setInterval(() => check().catch(() => {}), beatMs);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** The task of an earlier attempt that may still be running at its upstream. */
export const pendingTask = (calls: readonly GeneratorCall[]): GeneratorCall | undefined =>
  calls.find((call) => call.task !== null && isOpen(call));

/**
 * Ends each call whose response can no longer be received: its process died, or its upstream is no
 * longer configured.
 * @returns all calls of the job
 * @throws GeneratorError `unavailable` with `waits` while the process of an earlier attempt makes a
 * call that has no task
 */
export async function endLostCalls(
  log: CallLog,
  find: FindUpstream,
  signal: AbortSignal,
  { beatMs, silentMs }: Liveness = LIVENESS,
): Promise<readonly GeneratorCall[]> {
  let calls = await log.list();
  const unnamed = calls.filter(isUnnamed);
  if (unnamed.length > 0) {
    waitForSome(unnamed.filter((call) => call.silentMs < silentMs));
    // MongoDB or the whole machine may have stood still. A process is gone if it stays silent while
    // it is watched.
    await pause(3 * beatMs, signal);
    const beats = new Map(unnamed.map(({ id, beatAt }) => [id, beatAt.getTime()]));
    calls = await log.list();
    waitForSome(calls.filter(isUnnamed).filter(({ id, beatAt }) => beats.get(id) !== beatAt.getTime()));
  }
  const lost = calls.filter(
    (call) => isUnnamed(call) || (isOpen(call) && find(call.generator) === undefined),
  );
  for (const { id, task } of lost)
    await log.update(id, {
      ...(task === null ? { task } : {}),
      outcome: 'lost',
      error: 'The response was lost.',
    });
  return lost.length === 0 ? calls : log.list();
}

/** The call was recorded, and no task of it is known. */
const isUnnamed = (call: GeneratorCall) => isOpen(call) && call.task === null;

function waitForSome([alive]: readonly GeneratorCall[]): void {
  if (alive === undefined) return;
  throw waiting(`Another attempt is calling ${alive.generator}.`);
}

/** The job only has to wait: no upstream was asked. */
export const waiting = (message: string) =>
  new GeneratorError({ kind: 'unavailable', retryAfterMs: LOOK_AGAIN_MS, waits: true }, message);

/**
 * Cancels what upstreams still do for a job that has ended, and ends its calls. The process of a
 * call that has no task yet learns that the call has ended, and cancels the task itself.
 * @param only ids of the calls to cancel; all by default
 * @throws GeneratorError `unavailable` when a later attempt may cancel more
 */
export async function cancelOpenCalls(
  log: CallLog,
  find: FindUpstream,
  only?: ReadonlySet<string>,
): Promise<void> {
  const open = (await log.list()).filter((call) => isOpen(call) && (only === undefined || only.has(call.id)));
  // A call that cannot be cancelled yet does not keep the others running.
  const attempts = await Promise.allSettled(open.map((call) => cancelCall(call, log, find)));
  const failed = attempts.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

async function cancelCall(call: GeneratorCall, log: CallLog, find: FindUpstream): Promise<void> {
  if (call.task !== null) {
    await log.update(call.id, { outcome: 'cancelled', error: await cancel(call.generator, call.task, find) });
    return;
  }
  const error = 'The job ended before the response arrived.';
  if (await log.update(call.id, { task: null, outcome: 'cancelled', error })) return;
  const named = (await log.list()).find(({ id }) => id === call.id);
  if (named !== undefined && isOpen(named)) await cancelCall(named, log, find);
}

/** @returns why the task may go on; null when it does not */
async function cancel(generator: string, task: UpstreamTask, find: FindUpstream): Promise<string | null> {
  const tasks = find(generator)?.tasks;
  if (tasks === undefined) return `${generator} is no longer configured: its task could not be cancelled.`;
  if (tasks.cancel === undefined) return `${generator} cannot cancel a task.`;
  try {
    await tasks.cancel(task);
    return null;
  } catch (error) {
    if (!(error instanceof GeneratorError) || maySucceedLater(error)) throw error;
    return error.message;
  }
}

/**
 * The upstream was not reached. If the failure may be charged, only the address of this task cannot
 * be called.
 */
const maySucceedLater = ({ failure, mayBeCharged }: GeneratorError) =>
  failure.kind === 'unavailable' && !mayBeCharged;
