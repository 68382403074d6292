import { WebhookEvent } from '../../../contract/webhook.ts';
import { WEBHOOK_EXAMPLES } from './examples.ts';

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

/** The `webhooks` of the document (OpenAPI 3.1, 4.8.1): what the service sends when a job ends. */
export function webhooks(publicUrl: string) {
  return {
    jobEnded: {
      post: {
        operationId: 'jobEnded',
        summary: 'A job ended',
        description: `Sent to the job's \`webhook_url\`, else to the endpoint of the account. [The webhooks page](${publicUrl}/docs/webhooks) shows how to verify the signature and when a delivery is repeated.`,
        security: [],
        parameters: [
          header('webhook-id', 'Names the event; the same on every attempt.', 'evt_2f1c7f6e5d'),
          header('webhook-timestamp', 'Unix time of this attempt, in seconds.', '1795166419'),
          header(
            'webhook-signature',
            'One signature or, while a secret is being changed, two with a space between: `v1,` and base64.',
            'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
          ),
        ],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: WebhookEvent, examples: WEBHOOK_EXAMPLES } },
        },
        responses: {
          '2XX': { description: 'Delivered. Answer within 15 seconds and do the work afterwards.' },
          '410': {
            description:
              'Not wanted any more: no further attempt, and the endpoint of the account is disabled.',
          },
          default: { description: 'Not delivered; tried again. Redirects are not followed.' },
        },
      },
    },
  };
}
