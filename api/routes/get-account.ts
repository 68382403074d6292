import { Account } from '../../lib/contract/schemas.ts';
import { errorResponses, type Route } from '../http/operation.ts';

/** GET /v1/account: balance and settings behind the calling key. */
export const getAccountRoute: Route = (app, { stores }) =>
  app.get(
    '/v1/account',
    {
      config: { group: 'read-account', scope: 'account' },
      schema: {
        operationId: 'getAccount',
        summary: 'Read the account',
        description: 'Returns the balance and settings. Suitable for health checks and low-balance alerts.',
        response: { 200: Account, ...errorResponses() },
      },
    },
    async ({ caller }) => {
      const account = await stores.accounts.get(caller.accountId);
      return {
        name: caller.keyName,
        status: account.status === 'active' ? ('active' as const) : ('disabled' as const),
        image_credits: account.balance,
        retention_days: caller.retentionDays,
      };
    },
  );
