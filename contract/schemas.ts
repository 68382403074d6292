import { type Static, type TSchema, Type } from 'typebox';
import { ERRORS, type ErrorCode } from './errors.ts';
import { LIMITS } from './limits.ts';

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const DateTime = (description: string) => Type.String({ format: 'date-time', description });
const Uri = (description: string) => Type.String({ format: 'uri', description });

export const JobId = Type.String({
  format: 'uuid',
  description: 'Id of the job, the same in answers and webhook payloads.',
});

export const JobStatus = Type.Enum(['processing', 'completed', 'failed'], {
  type: 'string',
  description: 'completed and failed are final.',
});
export type JobStatus = Static<typeof JobStatus>;

/** One ignored option; clients branch on `code` (spec: Warning). */
export const Warning = Type.Object(
  {
    code: Type.Literal('option_ignored'),
    option: Type.String({ description: 'The key of `options` the warning is about.' }),
    message: Type.String({ description: 'For people; may change without notice.' }),
  },
  { title: 'Warning' },
);
export type Warning = Static<typeof Warning>;

const jobFields = {
  job_id: JobId,
  tool: Type.String({ description: 'The slug that ran.' }),
  status: JobStatus,
  images_charged: Type.Integer({
    minimum: 1,
    description: 'Images taken at creation; not rewritten by a refund.',
  }),
  result_urls: Type.Array(Uri('Public URL of a result. Use it as given.'), {
    description: 'Empty until the job is completed.',
  }),
  error: Nullable(Type.String({ description: 'Why the job failed.' })),
  created_at: DateTime('When the job was accepted.'),
  completed_at: Nullable(DateTime('When the job completed or failed.')),
  processing_ms: Nullable(
    Type.Integer({ minimum: 0, description: 'Wall-clock generation time in milliseconds.' }),
  ),
};

/** A job as GET /v1/jobs/{id} and the webhook show it (spec: Job). */
export const Job = Type.Object(jobFields, { title: 'Job' });
export type Job = Static<typeof Job>;

/** 201 of a new job (spec: Job creation result). */
export const JobCreated = Type.Object(
  {
    job_id: JobId,
    status: Type.Literal('processing'),
    images_charged: Type.Integer({ minimum: 1 }),
    warnings: Type.Array(Warning),
  },
  { title: 'JobCreated' },
);
export type JobCreated = Static<typeof JobCreated>;

/** 201 of a replayed Idempotency-Key: the job as it stands and the first request's warnings. */
export const JobReplayed = Type.Object(
  { ...jobFields, warnings: Type.Array(Warning) },
  { title: 'JobReplayed' },
);
export type JobReplayed = Static<typeof JobReplayed>;

/** Body of POST /v1/jobs. Fields that are not listed are ignored. */
export const CreateJob = Type.Object(
  {
    tool: Type.String({ maxLength: LIMITS.toolLength, description: 'A slug of GET /v1/tools.' }),
    image_url: Type.Optional(
      Type.String({
        maxLength: LIMITS.urlLength,
        description: 'Public https URL of a JPEG, PNG or WebP of at most 20 MB.',
      }),
    ),
    image_base64: Type.Optional(
      Type.String({
        description:
          'The same as base64, at most 20 MB decoded. A data-URI prefix names the format of the result; without one it is JPEG.',
      }),
    ),
    options: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Options of the tool.' }),
    ),
    webhook_url: Type.Optional(
      Type.String({
        maxLength: LIMITS.urlLength,
        description:
          'Public https URL that is told when the job ends, in place of the endpoint of the account.',
      }),
    ),
  },
  { title: 'CreateJob' },
);
export type CreateJob = Static<typeof CreateJob>;

/** The account behind the calling key (spec: Account). */
export const Account = Type.Object(
  {
    name: Type.String({ description: 'Client name recorded when the key was issued.' }),
    status: Type.Enum(['active', 'disabled'], {
      type: 'string',
      description: 'Always active here: a disabled account is refused before it is read.',
    }),
    image_credits: Type.Integer({ minimum: 0, description: 'Images left to render.' }),
    retention_days: Nullable(
      Type.Integer({
        minimum: 1,
        maximum: LIMITS.retentionDaysMax,
        description: 'Days that jobs of this key are kept; null when they stay.',
      }),
    ),
  },
  { title: 'Account' },
);
export type Account = Static<typeof Account>;

export const Tool = Type.Object(
  {
    slug: Type.String(),
    images_cost: Type.Integer({ minimum: 1, description: 'Images one render costs at 2K.' }),
  },
  { title: 'Tool' },
);
export type Tool = Static<typeof Tool>;

/** Body of every answer that is not 2xx (spec: Error envelope). */
export const ErrorEnvelope = Type.Object(
  {
    error: Type.Object({
      code: Type.Enum(Object.keys(ERRORS) as ErrorCode[], { type: 'string' }),
      message: Type.String({ description: 'For people; may change without notice.' }),
      doc_url: Uri('Anchor of the code on the errors page.'),
    }),
  },
  { title: 'Error' },
);
export type ErrorEnvelope = Static<typeof ErrorEnvelope>;
