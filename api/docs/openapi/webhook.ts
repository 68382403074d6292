import type { TSchema } from 'typebox';
import { TestEvent, WebhookEvent } from '../../../lib/contract/webhook.ts';
import { TEST_EVENT_EXAMPLES, WEBHOOK_EXAMPLES } from './examples.ts';
import type { Examples } from './types.ts';

/** The `webhooks` of the document (OpenAPI 3.1, 4.8.1). */
export function webhooks(publicUrl: string) {
  const seeAlso = `[The webhooks page](${publicUrl}/docs/webhooks) explains how to verify the signature and when a delivery is retried.`;
  return {
    jobEnded: event(
      'jobEnded',
      'A job ended',
      `Sent to the job's \`webhook_url\`, or else to the endpoint of the account. ${seeAlso}`,
      WebhookEvent,
      WEBHOOK_EXAMPLES,
    ),
    test: event(
      'testEvent',
      'A test of the endpoint',
      `Sent to the endpoint of the account when you request it with \`POST /v1/webhook-endpoint/test\`, or the operator does. ${seeAlso}`,
      TestEvent,
      TEST_EVENT_EXAMPLES,
    ),
  };
}

function event(
  operationId: string,
  summary: string,
  description: string,
  schema: TSchema,
  examples: Examples,
) {
  return {
    post: {
      operationId,
      summary,
      description,
      security: [],
      parameters: HEADERS,
      requestBody: { required: true, content: { 'application/json': { schema, examples } } },
      responses: {
        '2XX': { description: 'Delivered. Respond within 15 seconds and process the event afterwards.' },
        '410': {
          description:
            'The endpoint is gone: the delivery is not retried, and the endpoint of the account is disabled.',
        },
        default: { description: 'Not delivered; it is retried. Redirects are not followed.' },
      },
    },
  };
}

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

const HEADERS = [
  header(
    'webhook-id',
    'The id of the event, the same on every attempt.',
    '0b9f6a57-2d1c-4c5e-9f07-4f1f0a6f3f21',
  ),
  header('webhook-timestamp', 'Unix time of this attempt, in seconds.', '1795166419'),
  header(
    'webhook-signature',
    'One signature, `v1,` and base64. For 24 hours after a secret rotation, two signatures separated by a space.',
    'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
  ),
];
