export { type ClientOptions, ImageJobs } from './client.ts';
export type { CallOptions, CreateOptions } from './create-request.ts';
export {
  ImageJobConnectionError,
  ImageJobError,
  ImageJobTimeoutError,
  JobFailedError,
} from './errors.ts';
export type { Fetch } from './exchange.ts';
export { type ImageSource, imageType } from './image.ts';
export type { Jobs, RunOptions, RunResult } from './jobs.ts';
export type { Pages } from './pages.ts';
export type {
  Account,
  CreatedJob,
  DryRunResult,
  ErrorCode,
  FailureReason,
  Job,
  JobFilters,
  JobStatus,
  LedgerEntry,
  LedgerFilters,
  TestEvent,
  Tool,
  ToolOptions,
  ToolSlug,
  ToolWithOptions,
  Warning,
  WebhookDelivery,
  WebhookDeliveryFilters,
  WebhookEvent,
} from './types.ts';
export type { WaitOptions } from './wait.ts';
export { type WebhookHeaders, WebhookVerificationError, webhooks } from './webhooks.ts';
