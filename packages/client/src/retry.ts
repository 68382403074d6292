import { ImageJobConnectionError, ImageJobError, ImageJobTimeoutError } from './errors.ts';
import { patienceMs } from './patience.ts';
import { sleep, within } from './time.ts';

const FIRST_MS = 500;
const LONGEST_MS = 8_000;

interface Bounds {
  /** Limit of all attempts together. */
  totalMs: number;
  /** Limit of one attempt without progress. After it the attempt counts as lost. */
  attemptMs: number;
  outer: AbortSignal | undefined;
  /** Whether the host has answered before. True when left out. */
  isReached?: () => boolean;
}

export interface Attempt {
  signal: AbortSignal;
  /** Whether the service may have acted on an earlier attempt. */
  mayHaveRun: boolean;
  /** Restarts the time of the attempt. */
  onProgress: () => void;
}

/**
 * Repeats `run` after lost connections, 429 and 5xx until it succeeds or the time is over.
 * @throws the last error when a retry cannot help, or the reason of `outer` after its abort
 */
export function withRetries<T>(
  { totalMs, attemptMs, outer, isReached = () => true }: Bounds,
  run: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const began = Date.now();
  let cause: unknown;
  const timeout = () => new ImageJobTimeoutError(`No response within ${totalMs} ms.`, { cause });
  const lost = () => new ImageJobConnectionError(`No response within ${attemptMs} ms.`);
  return within({ ms: totalMs, outer, reason: timeout }, async (all) => {
    let mayHaveRun = false;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await within({ ms: attemptMs, outer: all, reason: lost }, (signal, onProgress) =>
          run({ signal, mayHaveRun, onProgress }),
        );
      } catch (error) {
        cause = error;
        const delay = delayAfter(attempt, error);
        const usefulMs = Math.min(totalMs, patienceMs(error, isReached()));
        if (all.aborted || Date.now() - began + delay >= usefulMs) throw error;
        mayHaveRun ||= !(error instanceof ImageJobError) || error.status >= 500;
        await sleep(delay, all);
      }
    }
  });
}

/**
 * Milliseconds to wait after attempt `n`, counted from 0. If the service asks for a time, that time
 * and up to a second more, so that many clients do not return at once. Else a random part of an
 * interval that doubles with each attempt.
 */
function delayAfter(attempt: number, error: unknown): number {
  const asked = error instanceof ImageJobError ? error.retryAfterMs : undefined;
  if (asked !== undefined) return asked + Math.random() * 1000;
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt);
  return longest / 2 + (Math.random() * longest) / 2;
}
