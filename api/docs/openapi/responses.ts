import type { OpenAPIV3_1 } from 'openapi-types';
import { jobOfDeliveryDeleted, noWebhookEndpoint, toolNotFound } from '../../../lib/contract/api-errors.ts';
import { ERRORS, type ErrorCode } from '../../../lib/contract/errors.ts';
import type { ErrorEnvelope } from '../../../lib/contract/schemas.ts';
import { ERROR_CODES } from '../../http/operation.ts';
import { ERROR_GUIDE } from '../error-guide.ts';
import { headersOf } from './headers.ts';
import { LINKS } from './links.ts';
import type { Examples, OpenApiOperation, OpenApiSchema } from './types.ts';

const SUCCESS: Record<string, string> = {
  200: 'The current state.',
  201: 'A new job was accepted and charged, or the current state of the job that the Idempotency-Key created.',
  202: 'Accepted: an attempt follows. This is the delivery before it.',
  204: 'The job and its images are deleted.',
};

const PAGE_OF = { 200: 'A page of the list, the newest first.' };

/** Descriptions that differ from {@link SUCCESS}, by operation and status. */
const SUCCESS_OF: Record<string, Record<string, string>> = {
  createJob: {
    200: 'The dry run passed all checks: what the request would be charged. Nothing was stored or charged.',
  },
  listJobs: PAGE_OF,
  listLedger: PAGE_OF,
  listWebhookDeliveries: PAGE_OF,
  rotateWebhookSecret: { 200: 'The new secret, which is not returned again.' },
  streamJobEvents: {
    200: 'Server-sent events. `status` has the Job as its data and its status as its id: one at once, and one when the job has ended. `progress` has `elapsed_ms` and `expected_ms`, while the job is processing and as far as it is known what its tool usually takes. Comments in between keep the connection open.',
    204: 'The job has ended, and `Last-Event-ID` says that its end was received. An EventSource does not connect again.',
  },
};

type OwnErrors = Partial<Record<ErrorCode, { name: string; message: string }>>;

const NO_ENDPOINT = { name: 'no_endpoint', message: noWebhookEndpoint().message };

/** Examples of a code that an operation words in its own way, by operation. */
const ERRORS_OF: Record<string, OwnErrors> = {
  testWebhookEndpoint: { invalid_request: NO_ENDPOINT },
  redeliverWebhook: {
    invalid_request: NO_ENDPOINT,
    job_not_found: { name: 'job_deleted', message: jobOfDeliveryDeleted().message },
  },
  getTool: { not_found: { name: 'unknown_tool', message: toolNotFound('virtual-staging').message } },
};

/** The 405 response, which all operations share. */
export function methodNotAllowed(
  publicUrl: string,
  schema: OpenAPIV3_1.ReferenceObject,
): OpenAPIV3_1.ResponseObject {
  return {
    description: 'Any other method on this path: `method_not_allowed`.',
    headers: headersOf('405'),
    content: { 'application/json': { schema, examples: errorExamples(['method_not_allowed'], publicUrl) } },
  };
}

/** Adds headers, links and examples to the responses of an operation: one example per error code. */
export function completeResponses(
  operation: OpenApiOperation,
  publicUrl: string,
  successExamples: Record<string, Examples>,
): void {
  for (const [status, response] of Object.entries(operation.responses)) {
    if ('$ref' in response) continue;
    const media = response.content?.['application/json'] ?? response.content?.['text/event-stream'];
    const codes = takeCodes(media?.schema as OpenApiSchema | undefined);
    response.headers = headersOf(status, operation.operationId);
    const links = LINKS[operation.operationId]?.[status];
    if (links !== undefined) response.links = links;
    if (codes === undefined)
      response.description =
        SUCCESS_OF[operation.operationId]?.[status] ?? SUCCESS[status] ?? response.description;
    const examples =
      codes === undefined
        ? successExamples[status]
        : errorExamples(codes, publicUrl, ERRORS_OF[operation.operationId]);
    if (media !== undefined && examples !== undefined) media.examples = examples;
  }
  operation.responses['405'] = { $ref: '#/components/responses/MethodNotAllowed' };
}

/** Returns the codes of an error response and removes what distinguishes its schema from the shared envelope. */
function takeCodes(schema: OpenApiSchema = {}): readonly ErrorCode[] | undefined {
  const codes = schema[ERROR_CODES] as readonly ErrorCode[] | undefined;
  if (codes === undefined) return undefined;
  delete schema[ERROR_CODES];
  delete schema.description;
  return codes;
}

function errorExamples(codes: readonly ErrorCode[], publicUrl: string, own: OwnErrors = {}): Examples {
  return Object.fromEntries(
    codes.map((code) => {
      const { name, message } = own[code] ?? { name: code, message: ERROR_GUIDE[code].example };
      const value = envelopeOf(code, message, publicUrl);
      return [name, { summary: name, description: ERRORS[code].description, value }];
    }),
  );
}

const envelopeOf = (code: ErrorCode, message: string, publicUrl: string): ErrorEnvelope => ({
  error: { code, message, doc_url: `${publicUrl}/docs/errors#${code}` },
});
