import type { components, operations } from './openapi.ts';

type Schemas = components['schemas'];

export type Job = Schemas['Job'];
export type JobStatus = Job['status'];
export type Warning = Schemas['Warning'];
export type FailureReason = Schemas['Failure']['reason'];
export type Account = Schemas['Account'];
export type LedgerEntry = Schemas['LedgerEntry'];
export type Tool = Schemas['Tool'];
export type ToolWithOptions = Schemas['ToolWithOptions'];
export type DryRunResult = Schemas['DryRunResult'];
export type WebhookEvent = Schemas['WebhookEvent'];
export type TestEvent = Schemas['TestEvent'];
export type WebhookDelivery = Schemas['WebhookDelivery'];

/** Codes of the service. A newer service may send others. */
export type ErrorCode = Schemas['Error']['error']['code'];

/** The slug of a tool. */
export type ToolSlug = Schemas['CreateJob']['tool'];

/** The requests for a tool, by URL and by base64. */
type Request<Slug extends ToolSlug> = Extract<Schemas['CreateJob'], { tool: Slug }>;

/** The options of a tool, as the `guided` tier checks them. */
export type ToolOptions<Slug extends ToolSlug> = NonNullable<Request<Slug>['options']>;

/** A tool with its options. The options can be left out if none is required. */
export type Edit<Slug extends ToolSlug> = { tool: Slug } & Pick<Request<Slug>, 'options'>;

/** A new job, or the job that an earlier request with the same Idempotency-Key created. */
export type CreatedJob = (Schemas['JobCreated'] | Schemas['JobReplayed']) & {
  /** The key that the request was sent with. */
  idempotency_key: string;
};

type Query<Operation extends keyof operations> = NonNullable<operations[Operation]['parameters']['query']>;
type Filters<Operation extends keyof operations> = Omit<Query<Operation>, 'limit' | 'starting_after'>;

/** Query parameters of GET /v1/jobs. */
export type JobFilters = Filters<'listJobs'>;
/** Query parameters of GET /v1/ledger. */
export type LedgerFilters = Filters<'listLedger'>;
/** Query parameters of GET /v1/webhook-deliveries. */
export type WebhookDeliveryFilters = Filters<'listWebhookDeliveries'>;
