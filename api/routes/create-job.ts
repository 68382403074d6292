import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ApiError } from '../../lib/contract/errors.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { CreateJob, DryRunResult, JobCreated, JobReplayed } from '../../lib/contract/schemas.ts';
import { createRequestPermits } from '../admission/request-permits.ts';
import type { ApiDeps } from '../deps.ts';
import { readJobBody } from '../http/bodies.ts';
import { errorResponses, type Route, validatorOf } from '../http/operation.ts';
import { queryReader } from '../http/query.ts';
import { bindJob } from '../http/request-telemetry.ts';
import { bodyDigest } from '../intake/job-body.ts';
import type { PostedJob } from '../jobs/checks.ts';
import { createOrReplayJob } from '../jobs/creation.ts';
import { dryRun } from '../jobs/dry-run.ts';
import { type Compensations, createCompensations } from '../jobs/voids.ts';
import { PreferHeader, waitIfPreferred } from '../waiting/prefer.ts';

/**
 * Most bytes of the fields that are kept after `dropFields`: options, warnings and the webhook URL.
 */
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

const Headers = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.idempotencyKeyLength,
      description: 'Makes the request idempotent: the same key and body are charged once.',
    }),
  ),
  ...PreferHeader.properties,
});

const readQuery = queryReader(Query);
const validBody = validatorOf('body', CreateJob);
const validHeaders = validatorOf('headers', Headers);

/**
 * POST /v1/jobs: checks, charges and accepts one job, or replays the one its Idempotency-Key
 * created. With `dry_run` it only checks.
 */
export const createJobRoute: Route = (app, deps) =>
  app.post(
    '/v1/jobs',
    {
      config: { group: 'create-job', scope: 'jobs' },
      // The handler validates, because it reads the body: the schema describes the operation only.
      validatorCompiler: () => () => true,
      schema: {
        operationId: 'createJob',
        summary: 'Create a job',
        description:
          'Runs one image through one tool. The account is charged at once; get the result by polling or by webhook.',
        headers: Headers,
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
      const compensations = createCompensations(deps.voids);
      try {
        const answer = await answerPost(deps, request, reply, compensations);
        if (!('job_id' in answer)) return answer;
        bindJob(request, answer.job_id);
        return reply.code(201).send(await waitIfPreferred(deps, request, reply, answer));
      } catch (error) {
        // Applies even if the client has gone and nobody reads the error.
        if (!(error instanceof ApiError) || error.status >= 500) compensations.run();
        throw error;
      }
    },
  );

/**
 * Reads the body and creates the job. When this returns, nothing of the body and no permit is held
 * any more.
 */
async function answerPost(
  deps: ApiDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  compensations: Compensations,
): Promise<DryRunResult | JobCreated | JobReplayed> {
  const { caller, raw } = request;
  using permits = createRequestPermits(caller, reply.raw, deps.limits);
  const { body, permit } = await readJobBody(request, reply, permits, deps.limits);
  const { dry_run } = readQuery(request);
  const fields = validBody(body.fields);
  const posted: PostedJob = {
    caller,
    fields,
    image: body.image,
    bodyDigest: bodyDigest(body),
    idempotencyKey: idempotencyKeyOf(raw, validHeaders(request.headers)['idempotency-key']),
    isDryRun: dry_run === 'true',
    permits,
    compensations,
    dropFields() {
      for (const name of Object.keys(fields) as (keyof CreateJob)[]) delete fields[name];
      permit.shrink(RETAINED_FIELD_BYTES);
    },
  };
  return posted.isDryRun ? await dryRun(deps, posted) : await createOrReplayJob(deps, posted);
}

/** Node joins repeated headers with commas, which would turn two keys into a third one. */
function idempotencyKeyOf({ rawHeaders }: IncomingMessage, joined: string | undefined): string | null {
  const sent = rawHeaders.filter((name, n) => n % 2 === 0 && name.toLowerCase() === 'idempotency-key');
  if (sent.length > 1) throw new ApiError('invalid_request', 'Idempotency-Key: must be sent once.');
  return joined ?? null;
}
