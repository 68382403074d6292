/** What a key may be limited to. A key without scopes has all; GET /v1/tools needs none. */
export const SCOPES = ['jobs', 'account', 'webhooks'] as const;
export type Scope = (typeof SCOPES)[number];
