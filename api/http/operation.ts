import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { ERRORS, type ErrorCode } from '../../lib/contract/errors.ts';
import { ErrorEnvelope } from '../../lib/contract/schemas.ts';
import type { ApiDeps } from '../deps.ts';
import { invalidPart } from './error-handler.ts';
import './fastify-types.ts';

export type TypedApp = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Registers one operation, its schema and handler, below the /api prefix. */
export type Route = (app: TypedApp, deps: ApiDeps) => unknown;

const ALWAYS: readonly ErrorCode[] = ['api_disabled', 'rate_limited', 'internal_error'];
const WITH_KEY: readonly ErrorCode[] = ['invalid_api_key', 'key_revoked', 'payload_too_large'];

/**
 * Schema keyword of an error response that lists its codes; the OpenAPI document has an example for
 * each.
 */
export const ERROR_CODES = 'x-error-codes';

/**
 * Error response schemas by status for an operation that needs a key: the common codes and the
 * given codes.
 * @param scoped whether the operation needs a scope
 */
export function errorResponses(codes: readonly ErrorCode[] = [], scoped = true): Record<number, TSchema> {
  const all = [...ALWAYS, ...WITH_KEY, ...(scoped ? (['insufficient_scope'] as const) : []), ...codes];
  const statuses = [...new Set(all.map((code) => ERRORS[code].status))].sort();
  return Object.fromEntries(statuses.map((status) => [status, errorResponse(all, status)]));
}

function errorResponse(codes: readonly ErrorCode[], status: number): TSchema {
  const matching = codes.filter((code) => ERRORS[code].status === status);
  const description = matching.map((code) => `\`${code}\``).join(', ');
  return { ...ErrorEnvelope, description, [ERROR_CODES]: matching } as TSchema;
}

/**
 * A validator for a handler that validates in place of Fastify. The errors are the same.
 * @returns a function that throws ApiError invalid_request
 */
export function validatorOf<T extends TSchema>(part: 'body' | 'headers', schema: T) {
  const validator = Compile(schema);
  return (sent: unknown): Static<T> => {
    if (validator.Check(sent)) return sent;
    throw invalidPart(part, validator.Errors(sent)[0]);
  };
}
