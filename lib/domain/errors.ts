/** Thrown when no record has the given id. */
export class NotFound extends Error {
  override readonly name = 'NotFound';
}

/**
 * Thrown when a change would break a rule of the ledger or contradicts its reference; nothing was
 * changed.
 */
export class Refused extends Error {
  override readonly name = 'Refused';
}
