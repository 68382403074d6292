import type { FailureReason } from '../contract/schemas.ts';

/** Whether the same request may succeed later. */
export const RETRYABLE: Readonly<Record<FailureReason, boolean>> = {
  safety: false,
  no_result: true,
  invalid_input: false,
  unavailable: true,
  cancelled: true,
};
