import { ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import type { Failure } from '../lib/protocol/failure-types.ts';

/**
 * Ends an attempt, which frees its slot of the worker. Temporal starts the next attempt after
 * `waitMs` milliseconds. Benign: the SDK logs it at debug level, because it is no failure of the
 * worker.
 */
export const retryAfter = (failure: Failure, message: string, waitMs: number): ApplicationFailure =>
  ApplicationFailure.create({
    type: failure.type,
    message,
    nextRetryDelay: waitMs,
    category: ApplicationFailureCategory.BENIGN,
  });
