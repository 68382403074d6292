import { ImageJobConnectionError, ImageJobError, ImageJobTimeoutError } from './errors.ts';
import { sleep, within } from './time.ts';

const FIRST_MS = 500;
const LONGEST_MS = 8_000;

interface Bounds {
  /** For all attempts together. */
  totalMs: number;
  /** For one attempt; after that it counts as lost. */
  attemptMs: number;
  outer: AbortSignal | undefined;
}

export interface Attempt {
  signal: AbortSignal;
  /** Whether the service may have acted on an earlier attempt. */
  mayHaveRun: boolean;
}

/**
 * Repeats `run` after lost connections, 429 and 5xx until it succeeds or the time is over.
 * @throws the last error when waiting any longer cannot help, the reason of `outer` once that has aborted
 */
export function withRetries<T>(
  { totalMs, attemptMs, outer }: Bounds,
  run: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const endsAt = Date.now() + totalMs;
  let cause: unknown;
  const timeout = () => new ImageJobTimeoutError(`No response within ${totalMs} ms.`, { cause });
  const lost = () => new ImageJobConnectionError(`No response within ${attemptMs} ms.`);
  return within({ ms: totalMs, outer, reason: timeout }, async (all) => {
    let mayHaveRun = false;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await within({ ms: attemptMs, outer: all, reason: lost }, (signal) =>
          run({ signal, mayHaveRun }),
        );
      } catch (error) {
        cause = error;
        const delay = delayAfter(attempt, error);
        if (all.aborted || !isRetryable(error) || Date.now() + delay >= endsAt) throw error;
        mayHaveRun ||= !(error instanceof ImageJobError) || error.status >= 500;
        await sleep(delay, all);
      }
    }
  });
}

function isRetryable(error: unknown): boolean {
  if (error instanceof ImageJobConnectionError) return true;
  return error instanceof ImageJobError && (error.status === 429 || error.status >= 500);
}

/**
 * Milliseconds to wait after the attempt with this number, counted from 0: what the service asks for, and up to a second
 * more so that many clients do not return at once; else a random part of an interval that doubles.
 */
function delayAfter(attempt: number, error: unknown): number {
  const asked = error instanceof ImageJobError ? error.retryAfterMs : undefined;
  if (asked !== undefined) return asked + Math.random() * 1000;
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt);
  return longest / 2 + (Math.random() * longest) / 2;
}
