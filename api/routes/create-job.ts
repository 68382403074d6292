import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { emptyBody } from '../../lib/contract/api-errors.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { CreateJob, DryRunResult, JobCreated, JobReplayed } from '../../lib/contract/schemas.ts';
import { errorResponses, type Route } from '../http/operation.ts';
import { checkQuery } from '../http/query.ts';
import { bindJob } from '../http/request-telemetry.ts';
import type { JobBody } from '../intake/job-body.ts';
import { bodyDigest } from '../intake/job-body.ts';
import { createOrReplayJob } from '../jobs/creation.ts';
import { dryRun } from '../jobs/dry-run.ts';
import { createCompensations } from '../jobs/voids.ts';
import { PreferHeader, waitIfPreferred } from '../waiting/prefer.ts';

/** Most bytes of the fields that are kept after `dropFields`: options, warnings and the webhook URL. */
const RETAINED_FIELD_BYTES = 32 * 1024;

const Query = Type.Object({
  dry_run: Type.Optional(
    Type.Enum(['true', 'false'], {
      type: 'string',
      description:
        'With `true`, the request is checked like any other and answered with its price, and nothing is stored, charged or rendered. The Idempotency-Key is not used up. Omitted, it is `false`.',
    }),
  ),
});

/**
 * POST /v1/jobs: checks, charges and accepts one job, or replays the one its Idempotency-Key created. With `dry_run` it
 * only checks.
 */
export const createJob: Route = (app, deps) =>
  app.post(
    '/v1/jobs',
    {
      config: { group: 'create-job', scope: 'jobs' },
      preValidation: [separateImage, checkQuery(Query)],
      preSerialization: waitIfPreferred(deps),
      // Covers every 5xx, whatever its cause and whether or not the client is still connected.
      onSend: async ({ compensations }, { statusCode }) => {
        if (statusCode >= 500) compensations?.run();
      },
      schema: {
        operationId: 'createJob',
        summary: 'Create a job',
        description:
          'Runs one image through one tool. The account is charged at once; get the result by polling or by webhook.',
        headers: Type.Object({
          'idempotency-key': Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: LIMITS.idempotencyKeyLength,
              description: 'Makes the request idempotent: the same key and body are charged once.',
            }),
          ),
          ...PreferHeader.properties,
        }),
        querystring: Query,
        body: CreateJob,
        response: {
          200: DryRunResult,
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
      request.compensations = createCompensations(deps.voids);
      const isDryRun = request.query.dry_run === 'true';
      const creation = {
        isDryRun,
        compensations: request.compensations,
        caller,
        body,
        image: jobBody.image,
        bodyDigest: bodyDigest(jobBody),
        idempotencyKey: idempotencyKey(request.raw, request.headers['idempotency-key']),
        hold,
        dropFields() {
          // Fastify references the object until the response is sent, so it is emptied.
          for (const name of Object.keys(body) as (keyof typeof body)[]) delete body[name];
          request.bodyLease.shrink(RETAINED_FIELD_BYTES);
        },
      };
      if (isDryRun) return hold.during(() => dryRun(deps, creation));
      const job = await hold.during(() => createOrReplayJob(deps, creation));
      bindJob(request, job.job_id);
      return reply.code(201).send(job);
    },
  );

/** preValidation hook: sets `request.jobBody`, and leaves its fields as `request.body` for the schema. */
async function separateImage(request: FastifyRequest): Promise<void> {
  const jobBody = request.body as JobBody | undefined;
  if (!jobBody) throw emptyBody();
  request.jobBody = jobBody;
  request.body = jobBody.fields;
}

/** Node joins repeated headers with commas, which would turn two keys into a third one. */
function idempotencyKey({ rawHeaders }: IncomingMessage, joined: string | undefined): string | null {
  const sent = rawHeaders.filter((name, n) => n % 2 === 0 && name.toLowerCase() === 'idempotency-key');
  if (sent.length > 1) throw new ApiError('invalid_request', 'Idempotency-Key: must be sent once.');
  return joined ?? null;
}
