import { setTimeout as delay } from 'node:timers/promises';

/** Waits. Rejects with the signal's reason when it aborts; the timer of Node rejects with an error of its own. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}
