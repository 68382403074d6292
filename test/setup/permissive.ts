import type { ApiOverrides } from '../../api/open-api.ts';

/** For the API of a test that is about neither: no rate limits, and always switched on. */
export const PERMISSIVE = {
  rateLimits: { countClient: async () => {}, countKey: async () => {}, countWebhook: () => {} },
  apiSwitch: { enabled: () => true, [Symbol.asyncDispose]: async () => {} },
} satisfies ApiOverrides;
