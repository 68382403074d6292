/** Why a model made nothing, whoever the upstream is. */
export type RefusalReason = 'safety' | 'no_result' | 'invalid_input';

/** `refused` and `misconfigured` are final for this generator; `unavailable` may be tried again. */
export type GeneratorFailure =
  | { kind: 'refused'; reason: RefusalReason }
  | { kind: 'unavailable'; retryAfterMs?: number }
  | { kind: 'misconfigured' };

/** The message is a sentence for the client, so it holds neither addresses nor credentials; those are in the cause. */
export class GeneratorError extends Error {
  override readonly name = 'GeneratorError';
  readonly failure: GeneratorFailure;

  constructor(failure: GeneratorFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}
