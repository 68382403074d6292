import type { IncomingMessage } from 'node:http';
import { Type } from 'typebox';
import { ApiError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { CreateJob, JobCreated, JobReplayed } from '../../contract/schemas.ts';
import { createClaims } from '../creation/claims.ts';
import { createJob as create } from '../creation/create-job.ts';
import { bodyDigest } from '../intake/digest.ts';
import { errorResponses, type Route } from '../operation.ts';
import { separatePicture } from '../plugins/separate-picture.ts';

/** In bytes: what a job takes over from its request besides the picture. */
const KEPT_OF_FIELDS = 32 * 1024;

/** POST /v1/jobs: checks, charges and accepts one job, or replays the one its Idempotency-Key created. */
export const createJob: Route = (app, deps) =>
  app.post(
    '/v1/jobs',
    {
      config: { group: 'create-job' },
      preValidation: separatePicture,
      // However the request comes to its 5xx, and whether or not anybody is there to read it.
      onSend: async ({ claims }, { statusCode }) => {
        if (statusCode >= 500) claims?.giveUp();
      },
      schema: {
        operationId: 'createJob',
        summary: 'Create a job',
        description:
          'Runs one image through one tool. The charge is taken at once; the picture is collected by polling or a webhook.',
        headers: Type.Object({
          'idempotency-key': Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: LIMITS.idempotencyKeyLength,
              description: 'Makes a retry safe: the same key and body never charge twice.',
            }),
          ),
        }),
        body: CreateJob,
        response: {
          201: Type.Union([JobReplayed, JobCreated]),
          ...errorResponses([
            'invalid_request',
            'invalid_tool',
            'invalid_image',
            'image_fetch_failed',
            'webhook_url_rejected',
            'insufficient_credits',
            'idempotency_conflict',
            'job_not_found',
          ]),
        },
      },
    },
    async (request, reply) => {
      const { jobBody, caller, body, hold } = request;
      request.claims = createClaims(deps.voids);
      const creation = {
        claims: request.claims,
        caller,
        body,
        image: jobBody.image,
        bodyDigest: bodyDigest(jobBody),
        idempotencyKey: idempotencyKey(request.raw, request.headers['idempotency-key']),
        hold,
        dropFields() {
          // Fastify keeps the object until the answer is out, so it is emptied.
          for (const name of Object.keys(body) as (keyof typeof body)[]) delete body[name];
          request.bodyLease.shrink(KEPT_OF_FIELDS);
        },
      };
      const answer = await hold.during(() => create(deps, creation));
      return reply.code(201).send(answer);
    },
  );

/** Node joins repeated headers with commas, which would make a third key of two. */
function idempotencyKey({ rawHeaders }: IncomingMessage, joined: string | undefined): string | null {
  const sent = rawHeaders.filter((name, n) => n % 2 === 0 && name.toLowerCase() === 'idempotency-key');
  if (sent.length > 1) throw new ApiError('invalid_request', 'Idempotency-Key: must be sent once.');
  return joined ?? null;
}
