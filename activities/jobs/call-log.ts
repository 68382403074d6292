import { log as activityLog } from '@temporalio/activity';
import type { CallLog } from '../../lib/domain/generator-call.ts';
import { pause } from '../../lib/process/countdown.ts';
import type { GeneratorCallStore } from '../../lib/stores/generator-call-store.ts';

const RETRY_MS = 500;

/**
 * The calls of one job. An update is retried until the signal aborts: without the task's id or the outcome, the next
 * attempt would take the call for lost and pay for another one.
 */
export const callLogOf = (store: GeneratorCallStore, jobId: string, signal: AbortSignal): CallLog => ({
  list: () => store.list(jobId),
  begin: (call, listed) => store.begin(jobId, call, listed),
  beat: (callId) => store.beat(jobId, callId),
  update: (callId, changes) => untilDone(() => store.update(jobId, callId, changes), signal),
});

/** Repeats a write until it succeeds. Rejects with the signal's reason when that aborts, after one try at least. */
export async function untilDone<T>(write: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (tries === 1)
        activityLog.warn('What was paid for cannot be stored yet.', { problem: String(error) });
      await pause(RETRY_MS, signal);
    }
  }
}
