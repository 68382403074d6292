import { ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import type { Failure } from '../lib/protocol/failure-types.ts';

/**
 * Ends an attempt, and so frees its slot, until Temporal starts the next one after `waitMs`. Benign: the SDK logs it at
 * debug level, because it is not a failure of the worker.
 */
export const retryAfter = (failure: Failure, message: string, waitMs: number): ApplicationFailure =>
  ApplicationFailure.create({
    type: failure.type,
    message,
    nextRetryDelay: waitMs,
    category: ApplicationFailureCategory.BENIGN,
  });
