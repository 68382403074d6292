import { Value } from 'typebox/value';
import { expect } from 'vitest';
import { ERRORS, type ErrorCode } from '../../contract/errors.ts';
import { ErrorEnvelope } from '../../contract/schemas.ts';

/** What app.inject and undici both give of an answer. */
export interface Answer {
  statusCode: number;
  headers: Record<string, unknown>;
  body: string;
}

/** `400 invalid_request`, or the status alone when the answer is no error. */
export function outcome({ statusCode, body }: Answer): string {
  return statusCode < 300 ? String(statusCode) : `${statusCode} ${JSON.parse(body).error.code}`;
}

export const error = (code: ErrorCode) => `${ERRORS[code].status} ${code}`;

/** Holds an answer to the table's status and to the envelope: exactly these members, the right document. */
export function expectError(answer: Answer, code: ErrorCode, publicUrl: string): void {
  expect(outcome(answer)).toBe(error(code));
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.headers['x-request-id']).toMatch(/^[\w.-]{1,128}$/);
  const envelope: unknown = JSON.parse(answer.body);
  expect(Value.Check(ErrorEnvelope, envelope)).toBe(true);
  expect(envelope).toEqual({
    error: {
      code,
      message: expect.stringMatching(/^\S.{8,}\.$/su),
      doc_url: `${publicUrl}/docs/errors#${code}`,
    },
  });
  expect('retry-after' in answer.headers).toBe(code === 'rate_limited');
  expect('allow' in answer.headers).toBe(code === 'method_not_allowed');
}
