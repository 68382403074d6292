import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import type { FailureReason } from '../../lib/contract/schemas.ts';
import { NotFound } from '../../lib/domain/errors.ts';
import { NOT_GENERATED, refundedError } from '../../lib/domain/job-errors.ts';
import type { JobFailure } from '../../lib/domain/records.ts';
import { GeneratorError, REFUSALS } from '../../lib/generators/errors.ts';
import { CAUSED_BY_IMAGE, ImageError, ImageProcessEnded } from '../../lib/imaging/errors.ts';
import { FAILURES, type Failure } from '../../lib/protocol/failure-types.ts';
import type { RenderResult } from '../../lib/protocol/render.ts';
import { ImageMissing } from '../../lib/stores/image-store.ts';

const TOO_COMPLEX =
  'The image is damaged or too complex: processing it took too much time or memory. Save it again and retry.';

/**
 * An image process may end twice for one image. The first end may be bad luck; the second is caused
 * by the image.
 */
const PROCESSES_PER_IMAGE = 2;

/** Heartbeat details, passed from attempt to attempt. */
export interface RenderProgress {
  /** Image processes that crashed or were killed while working on this image. */
  processesEnded: number;
  /** Processing time of the job when a generator first failed as unavailable. */
  unavailableFromMs?: number;
}

interface Tried {
  /** Number of the attempt that failed, from 1. */
  attempt: number;
  /**
   * Since the start of the first attempt. In a later attempt, its wait for a renderer counts too.
   */
  processingMs: number;
  /** How long a generator may be unavailable. */
  unavailableMs: number;
}

/** Adds the failure to `progress`. @returns whether a failure with limited retries is final now */
export function isLastTry(progress: RenderProgress, error: unknown, tried: Tried): boolean {
  if (error instanceof GeneratorError) return isTimeUp(progress, error, tried);
  if (error instanceof ImageProcessEnded && error.reason !== 'stopped') progress.processesEnded += 1;
  return progress.processesEnded >= PROCESSES_PER_IMAGE;
}

/**
 * The time for which a job only waits does not count: a failure after a long wait is its first
 * failure.
 */
function isTimeUp(
  progress: RenderProgress,
  { failure }: GeneratorError,
  { attempt, processingMs, unavailableMs }: Tried,
): boolean {
  if (failure.kind !== 'unavailable' || failure.waits) return false;
  // In two cases all processing time counts: the upstream asks to wait but completes no call of any
  // job, or this is the first attempt, which has not waited.
  if (failure.retryAfterMs !== undefined || attempt === 1) return processingMs >= unavailableMs;
  progress.unavailableFromMs ??= processingMs;
  return processingMs - progress.unavailableFromMs >= unavailableMs;
}

/** What the Temporal UI shows of a failed attempt, besides its error. */
interface Shown extends Pick<RenderResult, 'attempts' | 'calls' | 'generator'> {
  processingMs: number;
  /** See {@link isLastTry}. */
  lastTry: boolean;
}

/**
 * The failure that a render attempt reports to Temporal; a final failure is non-retryable. Its
 * details are a {@link JobFailure}, which is recorded on the job if this attempt is the last.
 */
export function renderFailure(
  error: unknown,
  { processingMs, lastTry, attempts, calls, ...asked }: Shown,
): Error {
  if (error instanceof CancelledFailure) return error;
  const {
    failure,
    reason,
    failureReason = 'unavailable',
    retryAfterMs,
    clientFault = false,
  } = classify(error);
  return ApplicationFailure.create({
    type: failure.type,
    nonRetryable: isFinal(error, lastTry),
    message: error instanceof Error ? error.message : String(error),
    details: [
      {
        error: refundedError(reason),
        failureReason,
        processingMs,
        clientFault,
        ...asked,
      } satisfies JobFailure,
      { attempts, calls },
    ],
    // With jitter, so that jobs which wait for the same upstream do not come back together.
    ...(retryAfterMs === undefined ? {} : { nextRetryDelay: retryAfterMs * (1 + Math.random() / 4) }),
    ...(error instanceof Error ? { cause: error } : {}),
  });
}

/** Whether no attempt follows an attempt that failed with this error. */
export function isFinal(error: unknown, lastTry: boolean): boolean {
  const { retry } = classify(error).failure;
  return retry === 'no' || (retry === 'limited' && lastTry);
}

interface Classified {
  failure: Failure;
  /** A sentence for the client. */
  reason: string;
  /** `unavailable` by default: the service or its generators failed. */
  failureReason?: FailureReason;
  retryAfterMs?: number | undefined;
  clientFault?: boolean;
}

function classify(error: unknown): Classified {
  if (error instanceof GeneratorError) return classifyGenerator(error);
  if (error instanceof ImageError)
    return {
      failure: FAILURES.invalid_image,
      reason: error.message,
      failureReason: 'invalid_input',
      clientFault: true,
    };
  if (error instanceof ImageMissing)
    return { failure: FAILURES.input_missing, reason: 'The input image is no longer stored.' };
  if (error instanceof ImageProcessEnded) {
    const clientFault = CAUSED_BY_IMAGE.has(error.reason);
    const failureReason = clientFault ? 'invalid_input' : 'unavailable';
    return { failure: FAILURES.image_process_ended, reason: TOO_COMPLEX, failureReason, clientFault };
  }
  if (error instanceof NotFound) return { failure: FAILURES.NotFound, reason: NOT_GENERATED };
  return { failure: FAILURES.render_error, reason: NOT_GENERATED };
}

function classifyGenerator({ failure }: GeneratorError): Classified {
  switch (failure.kind) {
    case 'refused': {
      const { reason: failureReason } = failure;
      const reason = REFUSALS[failureReason];
      return { failure: FAILURES.generator_refused, reason, failureReason, clientFault: true };
    }
    case 'unavailable': {
      const { retryAfterMs, waits = false } = failure;
      const type = waits ? FAILURES.render_waiting : FAILURES.generator_unavailable;
      return { failure: type, reason: NOT_GENERATED, retryAfterMs };
    }
    case 'misconfigured':
      return { failure: FAILURES.generator_misconfigured, reason: NOT_GENERATED };
    case 'exhausted':
      return { failure: FAILURES.generator_exhausted, reason: NOT_GENERATED };
    case 'lost':
      return { failure: FAILURES.render_error, reason: NOT_GENERATED };
  }
}
