import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/errors.ts';
import type { JobBody } from '../intake/body.ts';
import './request.ts';

/** preValidation hook: sets `request.jobBody`, and leaves its fields as `request.body` for the schema. */
export async function separateImage(request: FastifyRequest): Promise<void> {
  const jobBody = request.body as JobBody | undefined;
  if (!jobBody) throw new ApiError('invalid_request', 'The body is empty; send a JSON object.');
  request.jobBody = jobBody;
  request.body = jobBody.fields;
}
