/** Why a model returned no image, whichever upstream it is. */
export type RefusalReason = 'safety' | 'no_result' | 'invalid_input';

/** `refused` and `misconfigured` are final for this generator; `unavailable` may be retried. */
export type GeneratorFailure =
  | { kind: 'refused'; reason: RefusalReason }
  | { kind: 'unavailable'; retryAfterMs?: number }
  | { kind: 'misconfigured' };

/** The message is shown to the client: no addresses or credentials in it. Details belong in the cause. */
export class GeneratorError extends Error {
  override readonly name = 'GeneratorError';
  readonly failure: GeneratorFailure;

  constructor(failure: GeneratorFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}
