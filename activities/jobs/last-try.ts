import { GeneratorError } from '../../lib/generators/errors.ts';
import { ImageProcessEnded } from '../../lib/imaging/processes/errors.ts';

/** Heartbeat details, passed from attempt to attempt. */
export interface Progress {
  /** Image processes that crashed or were killed while working on this image. */
  processesEnded: number;
  /** Processing time of the job when a generator first failed as unavailable. */
  unavailableFromMs?: number;
}

/** Image processes one image may end: the first may be bad luck, the second is caused by the image. */
const PROCESSES_PER_IMAGE = 2;

export interface Tried {
  /** Number of the attempt that failed, from 1. */
  attempt: number;
  /** Since the start of the first attempt; in a later one, its wait for a renderer counts too. */
  processingMs: number;
  unavailableMs: number;
}

/** Adds the failure to `progress`. @returns whether no attempt follows this kind of failure */
export function isLastTry(progress: Progress, error: unknown, tried: Tried): boolean {
  if (error instanceof GeneratorError) return isTimeUp(progress, error, tried);
  if (error instanceof ImageProcessEnded && error.reason !== 'stopped') progress.processesEnded += 1;
  return progress.processesEnded >= PROCESSES_PER_IMAGE;
}

/** The time for which a job only waits does not count: a failure after a long wait is its first one. */
function isTimeUp(
  progress: Progress,
  { failure }: GeneratorError,
  { attempt, processingMs, unavailableMs }: Tried,
): boolean {
  if (failure.kind !== 'unavailable' || failure.waits) return false;
  // Such an upstream has completed nothing for as long: else the job waits. The first attempt has not waited yet.
  if (failure.retryAfterMs !== undefined || attempt === 1) return processingMs >= unavailableMs;
  progress.unavailableFromMs ??= processingMs;
  return processingMs - progress.unavailableFromMs >= unavailableMs;
}
