import type { ErrorCode, Job } from './types.ts';

interface Details {
  code: ErrorCode | 'unexpected_response';
  status: number;
  docUrl?: string | undefined;
  requestId?: string | undefined;
  retryAfterMs?: number | undefined;
  mayHaveRun?: boolean;
}

/**
 * The service answered with an error. Branch on `code`; the message is for people and may change.
 */
export class ImageJobError extends Error {
  override readonly name: string = 'ImageJobError';
  /** A code of the service; `unexpected_response` when something else answered, such as a proxy. */
  readonly code: Details['code'];
  readonly status: number;
  /** The section of the service's documentation about this code. */
  readonly docUrl: string | undefined;
  /** Names the request in the logs of the service. */
  readonly requestId: string | undefined;
  /** How long the service asks to wait before the next request. */
  readonly retryAfterMs: number | undefined;
  /**
   * Whether the service may have acted on an earlier attempt of this call, whose response was lost.
   */
  readonly mayHaveRun: boolean;

  constructor(message: string, details: Details) {
    super(message);
    this.code = details.code;
    this.status = details.status;
    this.docUrl = details.docUrl;
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
    this.mayHaveRun = details.mayHaveRun ?? false;
  }
}

/**
 * No response came: the service could not be reached, or the connection was lost. `cause` says
 * more.
 */
export class ImageJobConnectionError extends Error {
  override readonly name = 'ImageJobConnectionError';
}

/**
 * The time for a call was over. The service may still carry it out. `cause` is the last failure, if
 * there was one.
 */
export class ImageJobTimeoutError extends Error {
  override readonly name = 'ImageJobTimeoutError';
}

/** A job ended without a result. It was refunded. */
export class JobFailedError extends Error {
  override readonly name = 'JobFailedError';
  readonly job: Job;

  constructor(job: Job) {
    super(job.error ?? 'The job failed.');
    this.job = job;
  }
}
