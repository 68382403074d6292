import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { NotFound } from '../../domain/errors.ts';
import type { JobFailure } from '../../domain/records.ts';
import { GeneratorError } from '../../generators/errors.ts';
import { ImageError } from '../../imaging/errors.ts';
import { type EndReason, ImageProcessEnded } from '../../imaging/processes/errors.ts';
import { ImageMissing } from '../../stores/images.ts';

const GENERAL = 'The image could not be generated.';
const TOO_COMPLEX =
  'The image is damaged or too complex: processing it took too much time or memory. Save it again and retry.';

/**
 * The failure that a render attempt reports to Temporal; final ones are non-retryable. Its details are a
 * {@link JobFailure}, which is recorded on the job if this attempt is the last.
 * @param lastTry whether this kind of failure has used up its attempts
 */
export function renderFailure(error: unknown, processingMs: number, lastTry: boolean): Error {
  if (error instanceof CancelledFailure) return error;
  const { type, nonRetryable, message, retryAfterMs, clientFault = false } = classify(error, lastTry);
  return ApplicationFailure.create({
    type,
    nonRetryable,
    message: error instanceof Error ? error.message : String(error),
    details: [
      { error: `${message} The charge was refunded.`, processingMs, clientFault } satisfies JobFailure,
    ],
    ...(retryAfterMs === undefined ? {} : { nextRetryDelay: retryAfterMs }),
    ...(error instanceof Error ? { cause: error } : {}),
  });
}

const CAUSED_BY_IMAGE = new Set<EndReason>(['time', 'memory', 'crash']);

interface Classified {
  type: string;
  nonRetryable: boolean;
  message: string;
  retryAfterMs?: number | undefined;
  clientFault?: boolean;
}

function classify(error: unknown, lastTry: boolean): Classified {
  if (error instanceof GeneratorError) return classifyGenerator(error, lastTry);
  if (error instanceof ImageError)
    return { type: 'invalid_image', nonRetryable: true, message: error.message, clientFault: true };
  if (error instanceof ImageMissing)
    return { type: 'input_missing', nonRetryable: true, message: 'The input image is no longer stored.' };
  if (error instanceof ImageProcessEnded)
    return {
      type: 'image_process_ended',
      nonRetryable: lastTry,
      message: TOO_COMPLEX,
      clientFault: CAUSED_BY_IMAGE.has(error.reason),
    };
  if (error instanceof NotFound) return { type: 'NotFound', nonRetryable: true, message: GENERAL };
  return { type: 'render_error', nonRetryable: false, message: GENERAL };
}

function classifyGenerator({ failure, message }: GeneratorError, lastTry: boolean): Classified {
  const type = `generator_${failure.kind}`;
  if (failure.kind === 'unavailable')
    return { type, nonRetryable: lastTry, message: GENERAL, retryAfterMs: failure.retryAfterMs };
  if (failure.kind === 'refused') return { type, nonRetryable: true, message, clientFault: true };
  return { type, nonRetryable: true, message: GENERAL };
}
