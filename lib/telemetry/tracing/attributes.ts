/** Names of the service's own attributes. */
export const ATTRIBUTES = {
  requestId: 'imagejob.request_id',
  accountId: 'imagejob.account_id',
  jobId: 'imagejob.job_id',
  deliveryId: 'imagejob.delivery_id',
  tool: 'imagejob.tool',
  attempt: 'imagejob.attempt',
  generator: 'imagejob.generator',
  model: 'imagejob.model',
  costUsd: 'imagejob.cost_usd',
} as const;

/** Names of OpenTelemetry's semantic conventions, and of Temporal's interceptors. */
const OTHERS = [
  'http.request.method',
  'http.route',
  'http.response.status_code',
  'server.address',
  'error.type',
  'temporalWorkflowId',
  'run_id',
  'temporalActivityId',
  'temporalUpdateId',
];

const EXPORTED: ReadonlySet<string> = new Set([...Object.values(ATTRIBUTES), ...OTHERS]);

/** Names under which Temporal's attributes of a workflow's span are kept. */
export const NAMES: Readonly<Record<string, string>> = { workflowId: 'temporalWorkflowId', runId: 'run_id' };

/**
 * Whether a collector may see the attribute. There is a list of them, so that no library can add a
 * secret.
 */
export const isExported = (name: string): boolean => EXPORTED.has(name);
