import { ImageJobError } from '../node.ts';
import { sleep } from '../time.ts';

/**
 * The rate limit asks for shorter waits. A longer wait is for another limit, which a folder of
 * photos would exceed again.
 */
const PATIENCE_MS = 60_000;

/** Repeats `run` for as long as other requests of the same key use up the rate limit. */
export async function patiently<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      const isLimited = error instanceof ImageJobError && error.code === 'rate_limited';
      if (!isLimited || (error.retryAfterMs ?? 0) > PATIENCE_MS) throw error;
      await sleep(error.retryAfterMs ?? 0, signal);
    }
  }
}
