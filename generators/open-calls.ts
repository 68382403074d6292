import { type CallLog, type GeneratorCall, isOpen } from '../domain/generator-call.ts';
import { GeneratorError } from './errors.ts';
import type { UpstreamGenerator } from './port.ts';

/** The configured upstream of this name. */
export type FindUpstream = (name: string) => UpstreamGenerator | undefined;

/** The task of an earlier attempt that may still be running at its upstream. */
export const pendingTask = (calls: readonly GeneratorCall[]): GeneratorCall | undefined =>
  calls.find((call) => call.task !== null && isOpen(call));

/**
 * The calls of a job, after those are ended whose response nobody can receive any more: their process died, or nobody
 * can ask their upstream, because it is no longer configured.
 * @throws GeneratorError `unavailable` while another process may still be submitting, before a paused process or a reset
 */
export async function endLostCalls(log: CallLog, find: FindUpstream): Promise<readonly GeneratorCall[]> {
  const calls = await log.list();
  const open = calls.filter(isOpen);
  for (const call of open) throwIfSubmitting(call, find);
  const lost = open.filter(({ task, generator }) => task === null || find(generator) === undefined);
  for (const { id } of lost) await log.update(id, { outcome: 'lost', error: 'The response was lost.' });
  return lost.length === 0 ? calls : log.list();
}

/**
 * Cancels what upstreams still do for a job that ends without a result, and ends its calls.
 * @throws GeneratorError `unavailable` when a later attempt may cancel more
 */
export async function cancelOpenCalls(log: CallLog, find: FindUpstream): Promise<void> {
  const open = (await log.list()).filter(isOpen);
  // One that cannot be cancelled yet does not keep the others running.
  const attempts = await Promise.allSettled(
    open.map(async (call) => {
      throwIfSubmitting(call, find);
      await log.update(call.id, { outcome: 'cancelled', error: await cancel(call, find) });
    }),
  );
  const failed = attempts.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** @returns why the task may go on; null when it does not */
async function cancel({ task, generator }: GeneratorCall, find: FindUpstream): Promise<string | null> {
  if (task === null) return 'The response was lost.';
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

/** The upstream was not reached. Where the failure may be charged, it is the address of this task that cannot be called. */
const maySucceedLater = ({ failure, mayBeCharged }: GeneratorError) =>
  failure.kind === 'unavailable' && !mayBeCharged;

/** A task that has no name yet can be neither resumed nor cancelled, but will have one soon if its process lives. */
function throwIfSubmitting({ task, generator, ageMs }: GeneratorCall, find: FindUpstream): void {
  const { namedWithinMs = 0 } = find(generator)?.tasks ?? {};
  if (task !== null || ageMs >= namedWithinMs) return;
  const message = `Another process may be submitting a task to ${generator}.`;
  throw new GeneratorError({ kind: 'unavailable', retryAfterMs: namedWithinMs - ageMs }, message);
}
