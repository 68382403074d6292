import type { OpenAPIV3_1 } from 'openapi-types';
import { LIMITS, RATE_LIMITS } from '../../../lib/contract/limits.ts';

type Header = OpenAPIV3_1.HeaderObject;
type Ref = OpenAPIV3_1.ReferenceObject;

const integer = (description: string): Header => ({ description, schema: { type: 'integer', minimum: 0 } });
const text = (description: string): Header => ({ description, schema: { type: 'string' } });

/** Response headers by name. */
export const RESPONSE_HEADERS: Record<string, Header> = {
  'X-Request-Id': {
    description:
      'The id of this request in the logs of the service: the one you sent if it was well-formed, else a new one.',
    required: true,
    schema: { type: 'string' },
  },
  'X-RateLimit-Limit': integer(
    `Requests allowed in any ${RATE_LIMITS.windowMs / 1000} seconds for this route and key, or for your address if the key was not identified.`,
  ),
  'X-RateLimit-Remaining': integer('Requests left in the window.'),
  'RateLimit-Policy': text('The same limit in the format of the IETF draft: `"create-job";q=60;w=60`.'),
  RateLimit: text(
    'The remaining requests and the seconds until more are allowed, in the format of the IETF draft: `"create-job";r=59;t=12`.',
  ),
  'Retry-After': {
    description: 'Whole seconds to wait before the next request.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'Preference-Applied': text('The preference that was applied, such as `wait=30`; absent when none was.'),
  'Retry-After-Processing': {
    description:
      'Only with a `Prefer` header, while the job is processing: whole seconds after which it is likely to have ended.',
    schema: { type: 'integer', minimum: 1 },
  },
  Allow: { description: 'The methods that this path allows.', required: true, schema: { type: 'string' } },
};

const reference = (name: string): [string, Ref] => [name, { $ref: `#/components/headers/${name}` }];
const ALWAYS = ['X-Request-Id'];
const COUNTED = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'RateLimit-Policy', 'RateLimit'];

/** Headers that only some operations have, by operation and status. */
const OWN: Record<string, Record<string, Record<string, Ref>>> = {
  createJob: { 201: Object.fromEntries([reference('Preference-Applied')]) },
  getJob: {
    200: {
      ...Object.fromEntries([reference('Preference-Applied')]),
      'Retry-After': { $ref: '#/components/headers/Retry-After-Processing' },
    },
  },
};

/** References to the headers of a response with this status. */
export function headersOf(status: string, operationId = ''): Record<string, Ref> {
  const extra = status === '429' ? ['Retry-After'] : status === '405' ? ['Allow'] : [];
  return {
    ...Object.fromEntries([...ALWAYS, ...COUNTED, ...extra].map(reference)),
    ...OWN[operationId]?.[status],
  };
}

export const PARAMETERS: Record<string, OpenAPIV3_1.ParameterObject> = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'Your own id for this request: up to 128 letters, digits, dots, dashes and underscores. Anything else is replaced.',
    schema: { type: 'string' },
    example: 'import-2041.3',
  },
};

/** Names and examples of the headers that routes declare, which Fastify knows in lower case. */
export const HEADER_PARAMETERS: Record<string, Partial<OpenAPIV3_1.ParameterObject>> = {
  'idempotency-key': {
    name: 'Idempotency-Key',
    description: `Makes the request idempotent: the same key and body are charged once. Derive it from the id of your own record; it has at most ${LIMITS.idempotencyKeyLength} characters and is scoped to the API key.`,
    example: 'listing-4711-photo-3',
  },
  prefer: { name: 'Prefer', example: 'wait=30' },
  'last-event-id': { name: 'Last-Event-ID', example: 'processing' },
};

export const SECURITY_SCHEMES: Record<string, OpenAPIV3_1.SecuritySchemeObject> = {
  ApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description:
      'An API key of your account. It is shown once, when it is issued; only its hash is stored. A key may be limited to scopes: `jobs` for all of `/v1/jobs`, `account` for `/v1/account` and `/v1/ledger`, `webhooks` for `/v1/webhook-*`. A route whose scope it lacks returns 403 `insufficient_scope`.',
  },
};
