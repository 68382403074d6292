import { Type } from 'typebox';
import { DeliveryStatus, WebhookDeliveryList } from '../../lib/contract/deliveries.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { PAGE } from '../../lib/contract/lists.ts';
import { JobId } from '../../lib/contract/schemas.ts';
import { presentDelivery } from '../../lib/domain/present-webhooks.ts';
import { errorResponses, type Route } from '../http/operation.ts';
import { checkQuery, readPage } from '../http/query.ts';

const Query = Type.Object({
  ...PAGE,
  job_id: Type.Optional({ ...JobId, description: 'Only the delivery of this job.' }),
  status: Type.Optional({ ...DeliveryStatus, description: 'Only deliveries in this state.' }),
});

/** GET /v1/webhook-deliveries: the events of the account, with the attempts to deliver them. */
export const listWebhookDeliveriesRoute: Route = (app, { stores }) =>
  app.get(
    '/v1/webhook-deliveries',
    {
      config: { group: 'list', scope: 'webhooks' },
      preValidation: checkQuery(Query),
      schema: {
        operationId: 'listWebhookDeliveries',
        summary: 'List the webhook deliveries',
        description:
          'The events of the last 90 days, over all keys of the account, the newest first: to its endpoint, to the `webhook_url` of jobs, and test events.',
        querystring: Query,
        response: { 200: WebhookDeliveryList, ...errorResponses(['invalid_request']) },
      },
    },
    ({ caller, query }) => {
      const { status: state, job_id, starting_after: after } = query;
      const filter = { state, jobId: job_id?.toLowerCase(), after, attempts: LIMITS.deliveryAttempts };
      return readPage(
        query.limit,
        (limit) => stores.deliveries.list(caller.accountId, limit, filter),
        presentDelivery,
      );
    },
  );
