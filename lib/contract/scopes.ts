/**
 * The scopes that a key may be limited to. A key that is not limited has all of them; GET /v1/tools
 * needs none.
 */
export const SCOPES = ['jobs', 'account', 'webhooks'] as const;
export type Scope = (typeof SCOPES)[number];

/** @param scopes of a key; undefined if it is not limited to any */
export const hasScope = (scopes: readonly Scope[] | undefined, scope: Scope): boolean =>
  scopes === undefined || scopes.includes(scope);
