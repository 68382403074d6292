import { type Static, Type } from 'typebox';
import { DateTime, Nullable } from './schemas.ts';

/** The account's webhook endpoint. Its secret is returned once, when it is rotated. */
export const WebhookEndpoint = Type.Object(
  {
    url: Nullable(Type.String(), {
      description: 'Where jobs without a `webhook_url` are reported; null when they are not.',
    }),
    status: Type.Enum(['enabled', 'disabled'], {
      type: 'string',
      description:
        'A `disabled` endpoint gets no events until its URL is set again, but for those that are sent again by hand and tests.',
    }),
    disabled_reason: Nullable(Type.String(), { description: 'Why the service disabled it.' }),
    failing_since: Nullable(DateTime('When the first of these attempts failed.'), {
      description:
        'Set while every attempt fails. After five days without a success the endpoint is disabled.',
    }),
  },
  { title: 'WebhookEndpoint' },
);
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;
