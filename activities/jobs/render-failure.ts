import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import type { FailureReason } from '../../lib/contract/schemas.ts';
import { NotFound } from '../../lib/domain/errors.ts';
import type { CallSummary } from '../../lib/domain/generator-call.ts';
import { NOT_GENERATED, refundedError } from '../../lib/domain/job-errors.ts';
import type { JobFailure } from '../../lib/domain/records.ts';
import { GeneratorError, REFUSALS } from '../../lib/generators/errors.ts';
import { ImageError } from '../../lib/imaging/errors.ts';
import { CAUSED_BY_IMAGE, ImageProcessEnded } from '../../lib/imaging/processes/errors.ts';
import { FAILURES, type Failure } from '../../lib/protocol/failure-types.ts';
import { ImageMissing } from '../../lib/stores/image-store.ts';

const TOO_COMPLEX =
  'The image is damaged or too complex: processing it took too much time or memory. Save it again and retry.';

export interface FailedAttempt {
  processingMs: number;
  /** Whether this kind of failure has used up its attempts. */
  lastTry: boolean;
  /** The attempts so far and the calls to upstreams, for the Temporal UI. */
  attempts?: number;
  calls?: readonly CallSummary[];
  /** The generator that was asked last. */
  generator?: string;
}

/**
 * The failure that a render attempt reports to Temporal; final ones are non-retryable. Its details are a
 * {@link JobFailure}, which is recorded on the job if this attempt is the last.
 */
export function renderFailure(
  error: unknown,
  { processingMs, lastTry, attempts, calls, ...asked }: FailedAttempt,
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
    // Jobs that wait for the same do not come back together.
    ...(retryAfterMs === undefined ? {} : { nextRetryDelay: retryAfterMs * (1 + Math.random() / 4) }),
    ...(error instanceof Error ? { cause: error } : {}),
  });
}

/** Whether no attempt follows one that failed with this error. */
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
