import type { Route } from '../http/operation.ts';
import { cancelJob } from './cancel-job.ts';
import { createJob } from './create-job.ts';
import { deleteJob } from './delete-job.ts';
import { getAccount } from './get-account.ts';
import { getJob } from './get-job.ts';
import { getTool } from './get-tool.ts';
import { getWebhookEndpoint } from './get-webhook-endpoint.ts';
import { jobEvents } from './job-events.ts';
import { listJobs } from './list-jobs.ts';
import { listLedger } from './list-ledger.ts';
import { listTools } from './list-tools.ts';
import { listWebhookDeliveries } from './list-webhook-deliveries.ts';
import { redeliverWebhook } from './redeliver-webhook.ts';
import { rotateWebhookSecret } from './rotate-webhook-secret.ts';
import { setWebhookEndpoint } from './set-webhook-endpoint.ts';
import { testWebhookEndpoint } from './test-webhook-endpoint.ts';

/** Every operation of the API. */
export const routes: readonly Route[] = [
  createJob,
  listJobs,
  getJob,
  jobEvents,
  cancelJob,
  deleteJob,
  getAccount,
  listLedger,
  listTools,
  getTool,
  listWebhookDeliveries,
  redeliverWebhook,
  getWebhookEndpoint,
  setWebhookEndpoint,
  testWebhookEndpoint,
  rotateWebhookSecret,
];
