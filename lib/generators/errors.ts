import type { RefusalReason } from '../domain/generator-call.ts';

/**
 * `refused` and `misconfigured` are final for this generator; `unavailable` may be retried. With
 * `waits`, the upstream works or was not asked, and the job only has to wait. `lost`: the upstream
 * no longer has the task, or its result. `exhausted`: the job has made all the calls that it may
 * make, or has ended.
 */
export type GeneratorFailure =
  | { kind: 'refused'; reason: RefusalReason }
  | { kind: 'unavailable'; retryAfterMs?: number; waits?: true }
  | { kind: 'misconfigured' }
  | { kind: 'lost' }
  | { kind: 'exhausted' };

/** The message is for the operator. It may quote the upstream, so no client sees it. */
export class GeneratorError extends Error {
  override readonly name = 'GeneratorError';
  readonly failure: GeneratorFailure;
  /** Whether the upstream may charge for the call that failed. */
  readonly mayBeCharged: boolean;
  /** What the upstream charges for the call, in US dollars; null when it does not say. */
  readonly costUsd: number | null;
  /** The upstream works: it has processed a task, which failed. */
  readonly upstreamWorks: boolean;

  /**
   * @param options `mayBeCharged` is by default true for a refusal, because upstreams charge for
   * some of them
   */
  constructor(
    failure: GeneratorFailure,
    message: string,
    options: ErrorOptions & {
      mayBeCharged?: boolean;
      costUsd?: number | null;
      upstreamWorks?: boolean;
    } = {},
  ) {
    super(message, options);
    this.failure = failure;
    this.mayBeCharged = options.mayBeCharged ?? failure.kind === 'refused';
    this.costUsd = options.costUsd ?? null;
    this.upstreamWorks = options.upstreamWorks ?? failure.kind === 'refused';
  }
}

/**
 * A call was given up before its request was sent, so nobody can charge for it. The cause says why.
 */
export class NotSent extends Error {
  override readonly name = 'NotSent';

  constructor(cause: unknown) {
    super('The call was given up before it was sent.', { cause });
  }
}

/** What a client reads about a refusal. */
export const REFUSALS: Readonly<Record<RefusalReason, string>> = {
  safety: 'The image model refused the image or the options as unsafe. Change them and retry.',
  no_result: 'The image model returned no usable image.',
  invalid_input: 'The image model could not use the image. Try another file or size.',
};
