import type { WebhookDelivery, WebhookDeliveryList } from '../../../lib/contract/deliveries.ts';
import type {
  SetWebhookEndpoint,
  WebhookEndpoint,
  WebhookSecret,
} from '../../../lib/contract/webhook-endpoint.ts';
import type { Examples } from './types.ts';

const JOB_ID = '7c6c4f0e-2f0b-4c43-9d0a-6f0a3c8e51b7';

const endpoint: WebhookEndpoint = {
  url: 'https://hooks.example.com/image-jobs',
  status: 'enabled',
  disabled_reason: null,
  failing_since: null,
};

const disabled: WebhookEndpoint = {
  ...endpoint,
  status: 'disabled',
  disabled_reason: 'The endpoint responded with 410 Gone on 2026-11-20T09:30:19.204Z.',
};

const delivered: WebhookDelivery = {
  id: `msg_${JOB_ID.replaceAll('-', '')}`,
  type: 'job.completed',
  job_id: JOB_ID,
  status: 'delivered',
  reason: null,
  url: endpoint.url,
  attempts: [
    {
      at: '2026-11-20T09:30:19.204Z',
      status: 503,
      ms: 41,
      error: 'The receiver responded with status 503.',
      response_body: 'upstream unavailable',
    },
    { at: '2026-11-20T09:30:24.870Z', status: 204, ms: 38, error: null, response_body: '' },
  ],
  next_attempt_at: null,
  created_at: '2026-11-20T09:30:19.117Z',
};

const reopened: WebhookDelivery = { ...delivered, status: 'pending' };

const tested: WebhookDelivery = {
  id: 'msg_0b9f6a572d1c4c5e9f074f1f0a6f3f21',
  type: 'test.ping',
  job_id: null,
  status: 'pending',
  reason: null,
  url: endpoint.url,
  attempts: [],
  next_attempt_at: null,
  created_at: '2026-11-20T09:30:00.000Z',
};

const rotated: WebhookSecret = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
  previous_secret_valid_until: '2026-11-21T09:30:00.000Z',
};

const deliveries: WebhookDeliveryList = { data: [delivered], has_more: true };

/** Response bodies of the operations about webhooks, by operation and status. */
export const DELIVERY_EXAMPLES: Record<string, Record<string, Examples>> = {
  listWebhookDeliveries: {
    200: { page: { summary: 'An event that the receiver took at the second attempt', value: deliveries } },
  },
  getWebhookEndpoint: {
    200: {
      enabled: { summary: 'Events arrive', value: endpoint },
      disabled: { summary: 'The receiver is gone', value: disabled },
    },
  },
  setWebhookEndpoint: { 200: { enabled: { summary: 'The new endpoint', value: endpoint } } },
  testWebhookEndpoint: { 202: { pending: { summary: 'The test event', value: tested } } },
  rotateWebhookSecret: { 200: { rotated: { value: rotated } } },
  redeliverWebhook: { 202: { pending: { summary: 'An event that is sent again', value: reopened } } },
};

/** Request bodies of the operations about webhooks. */
export const DELIVERY_REQUEST_EXAMPLES: Record<string, Examples> = {
  setWebhookEndpoint: {
    set: {
      summary: 'Notify this URL',
      value: { url: 'https://hooks.example.com/image-jobs' } satisfies SetWebhookEndpoint,
    },
    remove: { summary: 'Notify none', value: { url: null } satisfies SetWebhookEndpoint },
  },
};
