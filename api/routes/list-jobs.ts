import { Type } from 'typebox';
import { LIMITS } from '../../lib/contract/limits.ts';
import { JobList, PAGE, storedForms } from '../../lib/contract/lists.ts';
import { JobStatus } from '../../lib/contract/schemas.ts';
import { presentJob } from '../../lib/domain/present.ts';
import { errorResponses, type Route } from '../http/operation.ts';
import { checkQuery, instantOf, readPage } from '../http/query.ts';

const time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }));

const Query = Type.Object({
  ...PAGE,
  status: Type.Optional(
    Type.Enum(JobStatus.enum, { type: 'string', description: 'Only jobs with this status.' }),
  ),
  tool: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9-]+$',
      maxLength: LIMITS.toolLength,
      description: 'The slug that ran, also of a tool that no longer exists.',
    }),
  ),
  created_after: time('Only jobs created at this time or later (RFC 3339).'),
  created_before: time('Only jobs created before this time (RFC 3339).'),
  idempotency_key: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.idempotencyKeyLength,
      // Excludes characters that a header cannot contain.
      pattern: '^[^\\u0000-\\u0008\\u000a-\\u001f\\u007f]*$',
      description: 'Only jobs created with this Idempotency-Key: one for each API key that used it.',
    }),
  ),
});

const READABLE = ['processing', 'completed', 'failed'] as const;

/** GET /v1/jobs: the jobs of the account, without deleted jobs. */
export const listJobsRoute: Route = (app, { stores, images }) =>
  app.get(
    '/v1/jobs',
    {
      config: { group: 'list', scope: 'jobs' },
      preValidation: checkQuery(Query),
      schema: {
        operationId: 'listJobs',
        summary: 'List the jobs',
        description:
          'The jobs of the account, over all of its keys, the newest first; deleted ones are left out. Jobs that were there throughout are neither skipped nor repeated between pages.',
        querystring: Query,
        response: { 200: JobList, ...errorResponses(['invalid_request']) },
      },
    },
    async ({ caller, query }) => {
      const { status = READABLE, tool, created_after = '', created_before = '' } = query;
      const { idempotency_key: key, starting_after: after } = query;
      const filter = {
        brief: true,
        status,
        tool,
        since: instantOf(created_after),
        until: instantOf(created_before),
        keys: key === undefined ? undefined : storedForms(key),
        after: after?.toLowerCase(),
      };
      return readPage(
        query.limit,
        (limit) => stores.jobs.list(caller.accountId, limit, filter),
        (job) => presentJob(job, images),
      );
    },
  );
