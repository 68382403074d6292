import { Value } from 'typebox/value';
import { expect } from 'vitest';
import { ERRORS, type ErrorCode } from '../../lib/contract/errors.ts';
import { ErrorEnvelope } from '../../lib/contract/schemas.ts';

/** The common properties of responses of app.inject, undici and {@link Wire}. */
export interface ContractResponse {
  statusCode: number;
  headers: Record<string, unknown>;
  body: string;
}

/** `400 invalid_request`, or only the status if the response is not an error. */
export function outcome({ statusCode, body }: ContractResponse): string {
  return statusCode < 300 ? String(statusCode) : `${statusCode} ${JSON.parse(body).error.code}`;
}

export const error = (code: ErrorCode) => `${ERRORS[code].status} ${code}`;

/** Checks the status, headers and envelope of an error response against the error table. */
export function expectError(response: ContractResponse, code: ErrorCode, publicUrl: string): void {
  expect(outcome(response)).toBe(error(code));
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(response.headers['x-request-id']).toMatch(/^[\w.-]{1,128}$/);
  const envelope: unknown = JSON.parse(response.body);
  expect(Value.Check(ErrorEnvelope, envelope)).toBe(true);
  expect(envelope).toEqual({
    error: {
      code,
      message: expect.stringMatching(/^\S.{8,}\.$/su),
      doc_url: `${publicUrl}/docs/errors#${code}`,
    },
  });
  expect('retry-after' in response.headers).toBe(code === 'rate_limited');
  expect('allow' in response.headers).toBe(code === 'method_not_allowed');
}
