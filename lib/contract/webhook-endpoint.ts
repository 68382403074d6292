import { type Static, Type } from 'typebox';
import { LIMITS } from './limits.ts';
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
        'Set while every attempt fails. The endpoint is disabled after five days without a success in which at least three deliveries failed for good, one after another.',
    }),
  },
  { title: 'WebhookEndpoint' },
);
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

/** Body of PUT /v1/webhook-endpoint. Other fields are ignored. */
export const SetWebhookEndpoint = Type.Object(
  {
    url: Nullable(Type.String({ maxLength: LIMITS.urlLength }), {
      description: 'A public https URL; null for none.',
    }),
  },
  { title: 'SetWebhookEndpoint' },
);
export type SetWebhookEndpoint = Static<typeof SetWebhookEndpoint>;

/** A new secret. */
export const WebhookSecret = Type.Object(
  {
    secret: Type.String({
      description: 'Signs deliveries from now on. Keep it now: it is not returned again.',
    }),
    previous_secret_valid_until: DateTime('Until when deliveries are signed with the replaced one as well.'),
  },
  { title: 'WebhookSecret' },
);
export type WebhookSecret = Static<typeof WebhookSecret>;
