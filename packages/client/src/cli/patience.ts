import { ImageJobError } from '../node.ts';
import { sleep } from '../time.ts';

/** Over the rate limit, a longer wait than this is for another limit, which a folder of photos would only exceed again. */
const PATIENCE_MS = 60_000;

/** Repeats `run` however long others of the same key, and of the same folder, keep the rate limit busy. */
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
