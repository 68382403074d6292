import { type Static, type TSchema, Type } from 'typebox';
import { ERRORS, type ErrorCode } from './errors.ts';
import { LIMITS } from './limits.ts';

export const Nullable = <T extends TSchema>(schema: T, options: { description?: string } = {}) =>
  Type.Union([schema, Type.Null()], options);
export const DateTime = (description: string) => Type.String({ format: 'date-time', description });
const Uri = (description: string) => Type.String({ format: 'uri', description });

export const JobId = Type.String({
  format: 'uuid',
  description: 'Id of the job, the same in responses and webhook payloads.',
});

export const JobStatus = Type.Enum(['processing', 'completed', 'failed'], {
  title: 'JobStatus',
  type: 'string',
  description: '`completed` and `failed` are final.',
});
export type JobStatus = Static<typeof JobStatus>;

/** An option that was ignored (spec: Warning). */
export const Warning = Type.Object(
  {
    code: Type.Literal('option_ignored'),
    option: Type.String({ description: 'The key of `options` the warning is about.' }),
    message: Type.String({ description: 'Human-readable; may change without notice.' }),
  },
  { title: 'Warning' },
);
export type Warning = Static<typeof Warning>;

/** Why a job failed. */
export const FailureReason = Type.Enum(['safety', 'no_result', 'invalid_input', 'unavailable', 'cancelled'], {
  title: 'FailureReason',
  type: 'string',
  description:
    '`safety`: the model refused the image or the options as unsafe. `no_result`: it returned no usable image. `invalid_input`: the image cannot be decoded or used. `unavailable`: no model brought a result in time. `cancelled`: the job was cancelled. More reasons may be added.',
});
export type FailureReason = Static<typeof FailureReason>;

const Failure = Type.Object(
  {
    reason: FailureReason,
    retryable: Type.Boolean({
      description: 'Whether the same request may succeed later, under a new Idempotency-Key.',
    }),
  },
  { title: 'Failure' },
);

const jobFields = {
  job_id: JobId,
  tool: Type.String({ description: 'The slug that ran.' }),
  status: JobStatus,
  images_charged: Type.Integer({
    minimum: 1,
    description: 'Images charged at creation. A refund does not change it.',
  }),
  result_urls: Type.Array(Uri('Public URL of a result. Use it as given.'), {
    description: 'Empty until the job is completed.',
  }),
  error: Nullable(Type.String(), { description: 'Why the job failed.' }),
  created_at: DateTime('When the job was accepted.'),
  completed_at: Nullable(Type.String({ format: 'date-time' }), {
    description: 'When the job completed or failed.',
  }),
  processing_ms: Nullable(Type.Integer({ minimum: 0 }), {
    description: 'Wall-clock generation time in milliseconds.',
  }),
  refunded: Type.Boolean({
    description: 'Whether the charge was refunded, as it is for every failed job. An addition to version 1.',
  }),
  failure: Nullable(Failure, {
    description:
      'Why the job failed, to branch on; null unless it has, and for jobs that failed before this field existed. An addition to version 1.',
  }),
  idempotency_key: Nullable(Type.String(), {
    description: 'The Idempotency-Key that created the job. An addition to version 1.',
  }),
};

/** A job as GET /v1/jobs/{id} and the webhook return it (spec: Job). */
export const Job = Type.Object(jobFields, { title: 'Job' });
export type Job = Static<typeof Job>;

/** Data of a `progress` event of GET /v1/jobs/{id}/events. An addition to version 1. */
export const JobProgress = Type.Object(
  {
    elapsed_ms: Type.Integer({ minimum: 0, description: 'Milliseconds since the job was accepted.' }),
    expected_ms: Type.Integer({
      minimum: 0,
      description:
        'Milliseconds that jobs of this tool usually take, as far as is known; a job may take longer.',
    }),
  },
  { title: 'JobProgress' },
);
export type JobProgress = Static<typeof JobProgress>;

/** Body of the 201 response for a new job (spec: Job creation result). */
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

/**
 * Body of the 201 response for a replayed Idempotency-Key: the current job and the first request's
 * warnings.
 */
export const JobReplayed = Type.Object(
  { ...jobFields, warnings: Type.Array(Warning) },
  { title: 'JobReplayed' },
);
export type JobReplayed = Static<typeof JobReplayed>;

/** Body of the 200 response for a dry run. An addition to version 1. */
export const DryRunResult = Type.Object(
  {
    valid: Type.Boolean({ description: 'Always `true`; a request that fails a check gets its error.' }),
    tool: Type.String({ description: 'The slug that would run.' }),
    images_charged: Type.Integer({
      minimum: 0,
      description:
        'Images that the request would be charged. 0 only if its Idempotency-Key has already created a job: the request would return that job.',
    }),
    warnings: Type.Array(Warning),
    balance_after: Nullable(Type.Integer({ minimum: 0 }), {
      description:
        'Images left in the balance after the charge; null for a key that is limited to scopes without `account`.',
    }),
  },
  { title: 'DryRunResult' },
);
export type DryRunResult = Static<typeof DryRunResult>;

/** Body of POST /v1/jobs. Other fields are ignored. */
export const CreateJob = Type.Object(
  {
    tool: Type.String({ maxLength: LIMITS.toolLength, description: 'A slug of GET /v1/tools.' }),
    image_url: Type.Optional(
      Type.String({
        title: 'ImageUrl',
        maxLength: LIMITS.urlLength,
        description: 'Public https URL of a JPEG, PNG or WebP of at most 20 MB.',
      }),
    ),
    image_base64: Type.Optional(
      Type.String({
        title: 'ImageBase64',
        description:
          'The image as base64, at most 20 MB decoded. A data-URI prefix selects the format of the result; without one it is JPEG.',
      }),
    ),
    options: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Options of the tool.' }),
    ),
    webhook_url: Type.Optional(
      Type.String({
        title: 'WebhookUrl',
        maxLength: LIMITS.urlLength,
        description:
          "Public https URL that is notified when the job ends, instead of the account's endpoint.",
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
      description: 'Always `active` here: the keys of a disabled account are rejected.',
    }),
    image_credits: Type.Integer({ minimum: 0, description: 'Images left in the balance.' }),
    retention_days: Nullable(Type.Integer({ minimum: 1, maximum: LIMITS.retentionDaysMax }), {
      description: 'Days after which jobs of this key are deleted; null when they are kept.',
    }),
  },
  { title: 'Account' },
);
export type Account = Static<typeof Account>;

const toolFields = {
  slug: Type.String(),
  images_cost: Type.Integer({ minimum: 1, description: 'Price of one render at 2K, in images.' }),
  preview_only: Type.Boolean({
    description:
      'No model is configured for this tool: a job returns the photo with a caption. An addition to version 1.',
  }),
};
const toolDetails = {
  title: Type.String({ description: 'Name of the tool for people.' }),
  description: Type.String({ description: 'What the tool does, in one line.' }),
  options: Type.Record(Type.String(), Type.Unknown(), {
    description:
      'The options of the tool as JSON Schema (draft 2020-12), as the `guided` tier checks them. An alias has the keyword `x-alias-of`.',
  }),
};

/**
 * A tool as GET /v1/tools lists it (spec: Tool entry). The details are an addition: only with
 * `expand=options`.
 */
export const Tool = Type.Object(
  {
    ...toolFields,
    title: Type.Optional(toolDetails.title),
    description: Type.Optional(toolDetails.description),
    options: Type.Optional(toolDetails.options),
  },
  { title: 'Tool', description: 'The last three fields are present with `expand=options` only.' },
);
export type Tool = Static<typeof Tool>;

/** A tool with its options, as GET /v1/tools/{slug} returns it. */
export const ToolWithOptions = Type.Object({ ...toolFields, ...toolDetails }, { title: 'ToolWithOptions' });
export type ToolWithOptions = Static<typeof ToolWithOptions>;

/** Body of every non-2xx response (spec: Error envelope). */
export const ErrorEnvelope = Type.Object(
  {
    error: Type.Object({
      code: Type.Enum(Object.keys(ERRORS) as ErrorCode[], { title: 'ErrorCode', type: 'string' }),
      message: Type.String({ description: 'Human-readable; may change without notice.' }),
      doc_url: Uri('The section of the errors page about this code.'),
    }),
  },
  { title: 'Error' },
);
export type ErrorEnvelope = Static<typeof ErrorEnvelope>;
