import { Type } from 'typebox';
import { LedgerList, PAGE } from '../../lib/contract/lists.ts';
import { presentLedgerRow } from '../../lib/domain/present.ts';
import { errorResponses, type Route } from '../http/operation.ts';
import { checkQuery, readPage } from '../http/query.ts';

const Query = Type.Object(PAGE);

/** GET /v1/ledger: every change of the account's balance. */
export const listLedgerRoute: Route = (app, { stores }) =>
  app.get(
    '/v1/ledger',
    {
      config: { group: 'list', scope: 'account' },
      preValidation: checkQuery(Query),
      schema: {
        operationId: 'listLedger',
        summary: 'List the ledger',
        description:
          'Every change of the balance, the newest first. The sum of `images` over all rows is `image_credits` of the account. Rows never change.',
        querystring: Query,
        response: { 200: LedgerList, ...errorResponses(['invalid_request']) },
      },
    },
    ({ caller, query }) =>
      readPage(
        query.limit,
        (limit) => stores.ledger.page(caller.accountId, query.starting_after, limit),
        presentLedgerRow,
      ),
  );
