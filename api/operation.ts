import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { TSchema } from 'typebox';
import { ERRORS, type ErrorCode } from '../contract/errors.ts';
import { ErrorEnvelope } from '../contract/schemas.ts';
import type { ApiDeps } from './deps.ts';
import './request.ts';

export type TypedApp = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** One operation: its schema and handler, registered on the app below the /api prefix. */
export type Route = (app: TypedApp, deps: ApiDeps) => unknown;

const ALWAYS: readonly ErrorCode[] = ['api_disabled', 'rate_limited', 'internal_error'];
const WITH_KEY: readonly ErrorCode[] = ['invalid_api_key', 'key_revoked', 'payload_too_large'];

/** Keyword of an error answer's schema that lists its codes; the OpenAPI document shows an example of each. */
export const ERROR_CODES = 'x-error-codes';

/** The error answers of a keyed operation by status: those every one of them has, and its own. */
export function errorResponses(codes: readonly ErrorCode[] = []): Record<number, TSchema> {
  const all = [...ALWAYS, ...WITH_KEY, ...codes];
  const statuses = [...new Set(all.map((code) => ERRORS[code].status))].sort();
  return Object.fromEntries(statuses.map((status) => [status, answer(all, status)]));
}

function answer(codes: readonly ErrorCode[], status: number): TSchema {
  const own = codes.filter((code) => ERRORS[code].status === status);
  const description = own.map((code) => `\`${code}\``).join(', ');
  return { ...ErrorEnvelope, description, [ERROR_CODES]: own } as TSchema;
}
