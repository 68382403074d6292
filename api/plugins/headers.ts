import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/errors.ts';

/**
 * The headers that somebody parses, each with the length that no honest one has. Others are passed over, and all
 * together can't pass the 16 KB that Node lets a head have.
 */
const LONGEST: Readonly<Record<string, number>> = {
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
 * onRequest hook; the lengths are looked at before any value is. Node's own check for a Host answers without a body, so
 * it is switched off and done here.
 * @throws ApiError invalid_request
 */
export async function limitHeaders({ raw, headers }: FastifyRequest): Promise<void> {
  for (const [name, longest] of Object.entries(LONGEST))
    if ((headers[name]?.length ?? 0) > longest)
      throw new ApiError('invalid_request', `The ${name} header is longer than ${longest} characters.`);
  if (headers.host === undefined && raw.httpVersion === '1.1')
    throw new ApiError('invalid_request', 'The Host header is missing.');
}
