import type { ErrorCode } from '../contract/errors.ts';
import type { NotFound } from '../domain/errors.ts';

/**
 * The failures that activities and workflows report to Temporal, by their type. Retry policies, the
 * Temporal UI and the histories of running workflows know a failure by its type, so a type is never
 * renamed while workflows run.
 */
export const FAILURES = {
  // An activity that throws this error reports the name of its class as the type.
  NotFound: {
    type: 'NotFound' satisfies NotFound['name'],
    retry: 'no',
    description: 'The job was voided because its request was answered 5xx, or the delivery does not exist.',
  },
  invalid_image: {
    type: 'invalid_image',
    retry: 'no',
    code: 'generation_failed',
    description: 'The image cannot be decoded, or exceeds a limit.',
  },
  input_missing: {
    type: 'input_missing',
    retry: 'no',
    code: 'generation_failed',
    description: 'The input image is no longer stored.',
  },
  image_process_ended: {
    type: 'image_process_ended',
    retry: 'limited',
    code: 'generation_failed',
    description: 'The process that decodes the image crashed or was killed. Final the second time.',
  },
  generator_refused: {
    type: 'generator_refused',
    retry: 'no',
    code: 'generation_failed',
    description: 'The generator refused the image or the options, or made no image.',
  },
  generator_unavailable: {
    type: 'generator_unavailable',
    retry: 'limited',
    code: 'generation_failed',
    description:
      'The generator was busy or down. Final half an hour after it first failed the job (RENDER_UNAVAILABLE_MS).',
  },
  generator_misconfigured: {
    type: 'generator_misconfigured',
    retry: 'no',
    code: 'generation_failed',
    description:
      'The generator rejected its settings or credentials. Correct them and restart the renderers.',
  },
  generator_exhausted: {
    type: 'generator_exhausted',
    retry: 'no',
    code: 'generation_failed',
    description:
      'The job makes no further call: two calls that generators may charge for brought no image, three tasks of a generator that charges nothing failed, or the job has ended.',
  },
  render_error: {
    type: 'render_error',
    retry: 'yes',
    code: 'generation_failed',
    description:
      'The render failed for another reason, such as an outage of MongoDB or S3. Final after 24 hours.',
  },
  render_waiting: {
    type: 'render_waiting',
    retry: 'yes',
    description:
      "The render waits: its account has its share of the renderer's slots, an upstream asks it to wait, or an earlier attempt is still calling an upstream.",
  },
  webhook_undelivered: {
    type: 'webhook_undelivered',
    retry: 'yes',
    description:
      'An attempt of a delivery failed. The next one follows after the delay of the retry schedule.',
  },
  webhook_waiting: {
    type: 'webhook_waiting',
    retry: 'yes',
    description: 'The delivery waits for its turn: others to the same receiver are in progress.',
  },
  insufficient_credits: {
    type: 'insufficient_credits',
    retry: 'no',
    code: 'insufficient_credits',
    description: 'The balance did not cover the job.',
  },
  unavailable: {
    type: 'unavailable',
    retry: 'no',
    code: 'internal_error',
    description: 'The job was not accepted in time. Nothing was charged.',
  },
  voided: {
    type: 'voided',
    retry: 'no',
    code: 'internal_error',
    description: 'The request of the job was answered 5xx before the acceptance. Nothing was charged.',
  },
  retention_incomplete: {
    type: 'retention_incomplete',
    retry: 'no',
    description: 'A retention run could not process some items. The next run retries them.',
  },
  reconcile_stopped: {
    type: 'reconcile_stopped',
    retry: 'no',
    description:
      'The reconciler found so many lost jobs that it refunded none: perhaps it looks in the wrong Temporal namespace.',
  },
  reconcile_incomplete: {
    type: 'reconcile_incomplete',
    retry: 'no',
    description: 'A run of the reconciler could not process some items. The next run retries them.',
  },
  wrong_installation: {
    type: 'wrong_installation',
    retry: 'no',
    description:
      'A retention run removes no image, because the buckets do not belong to the installation that MongoDB has.',
  },
  too_many_orphans: {
    type: 'too_many_orphans',
    retry: 'no',
    description:
      'A retention run removes no orphan of a bucket, because too many of its images belong to no job. After `operator sweep run --confirm` it does.',
  },
  unknown_step: {
    type: 'unknown_step',
    retry: 'no',
    description:
      'A run of the retention workflow or the reconciler cannot resume at a step that this version does not have. Start it again.',
  },
} as const satisfies Record<string, FailureEntry>;

interface FailureEntry {
  type: string;
  /**
   * `limited`: for a limited number of attempts. `yes`: as long as the activity's
   * timeouts allow.
   */
  retry: 'no' | 'limited' | 'yes';
  /**
   * The error code that a client sees in a response. For `generation_failed`, the job fails
   * instead, and its `error` says why.
   */
  code?: ErrorCode;
  description: string;
}

export type FailureType = keyof typeof FAILURES;
export type Failure = (typeof FAILURES)[FailureType];
