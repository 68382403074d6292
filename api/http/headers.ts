import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/errors.ts';

/** Most characters of each header that the service parses. Node bounds the whole head at 16 KB. */
const MAX_LENGTHS: Readonly<Record<string, number>> = {
  host: 300,
  'content-type': 256,
  'content-encoding': 256,
  'content-length': 32,
  'transfer-encoding': 256,
  expect: 256,
  'x-forwarded-for': 2000,
  'x-forwarded-host': 2000,
  'x-forwarded-proto': 256,
};

/**
 * onRequest hook: checks header lengths before any value is parsed. It also requires Host, since Node's own check
 * responds without an error envelope.
 * @throws ApiError invalid_request
 */
export async function limitHeaders({ raw, headers }: FastifyRequest): Promise<void> {
  for (const [name, maxLength] of Object.entries(MAX_LENGTHS))
    if ((headers[name]?.length ?? 0) > maxLength)
      throw new ApiError('invalid_request', `The ${name} header is longer than ${maxLength} characters.`);
  if (headers.host === undefined && raw.httpVersion === '1.1')
    throw new ApiError('invalid_request', 'The Host header is missing.');
}
