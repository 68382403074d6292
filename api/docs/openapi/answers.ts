import { ERRORS, type ErrorCode } from '../../../contract/errors.ts';
import type { ErrorEnvelope } from '../../../contract/schemas.ts';
import { ERROR_CODES } from '../../operation.ts';
import { ERROR_GUIDE } from '../error-guide.ts';
import { LINKS } from './links.ts';
import { headersOf } from './parts.ts';
import type { Examples, MediaType, Operation, Response } from './types.ts';

const SUCCESS: Record<string, string> = {
  200: 'As it stands now.',
  201: 'A new job was accepted and charged, or the job that the Idempotency-Key created, as it stands now.',
  204: 'The job and its pictures are gone.',
};

/** What every operation answers to methods it does not have; the document holds it once. */
export function methodNotAllowed(publicUrl: string, schema: MediaType['schema']): Response {
  return {
    description: 'Any other method on this path: `method_not_allowed`.',
    headers: headersOf('405'),
    content: { 'application/json': { schema, examples: errorExamples(['method_not_allowed'], publicUrl) } },
  };
}

/** Gives each answer of an operation its headers, each error answer an example for each of its codes. */
export function completeAnswers(
  operation: Operation,
  publicUrl: string,
  own: Record<string, Examples>,
): void {
  for (const [status, answer] of Object.entries(operation.responses)) {
    if ('$ref' in answer) continue;
    const media = answer.content?.['application/json'];
    const codes = media === undefined ? undefined : takeCodes(media);
    answer.headers = headersOf(status);
    const links = LINKS[operation.operationId]?.[status];
    if (links !== undefined) answer.links = links;
    if (codes === undefined) answer.description = SUCCESS[status] ?? answer.description;
    const examples = codes === undefined ? own[status] : errorExamples(codes, publicUrl);
    if (media !== undefined && examples !== undefined) media.examples = examples;
  }
  operation.responses['405'] = { $ref: '#/components/responses/MethodNotAllowed' };
}

/** The codes an error answer was declared with; what tells its schema from the plain envelope goes. */
function takeCodes({ schema }: MediaType): readonly ErrorCode[] | undefined {
  const codes = schema[ERROR_CODES] as readonly ErrorCode[] | undefined;
  if (codes === undefined) return undefined;
  delete schema[ERROR_CODES];
  delete schema.description;
  return codes;
}

function errorExamples(codes: readonly ErrorCode[], publicUrl: string): Examples {
  return Object.fromEntries(
    codes.map((code) => [
      code,
      { summary: code, description: ERRORS[code].description, value: envelopeOf(code, publicUrl) },
    ]),
  );
}

function envelopeOf(code: ErrorCode, publicUrl: string): ErrorEnvelope {
  return {
    error: { code, message: ERROR_GUIDE[code].example, doc_url: `${publicUrl}/docs/errors#${code}` },
  };
}
