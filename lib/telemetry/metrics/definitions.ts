/** One metric, as Prometheus knows it. */
export interface MetricDefinition {
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  /** Each takes its values from a closed set, so the number of series is bounded. */
  labels: readonly string[];
  /** The processes that have it. */
  of: readonly ProcessName[];
  /** Upper bounds of a histogram. */
  buckets?: readonly number[];
}

export type ProcessName = 'api' | 'worker' | 'renderer';

const ALL = ['api', 'worker', 'renderer'] as const;
const JOBS = ['worker', 'renderer'] as const;

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;
const RENDER_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600] as const;

/** Every metric of the service. docs/metrics.md lists them; `npm run docs` writes it. */
export const METRICS = {
  imagejob_http_requests_total: {
    type: 'counter',
    help: 'Responses, by method, route template and status. Probes are not counted.',
    labels: ['method', 'route', 'status'],
    of: ['api'],
  },
  imagejob_http_request_seconds: {
    type: 'histogram',
    help: 'Time from the head of a request to the end of its response, unless it waits for a job to end.',
    labels: ['route'],
    of: ['api'],
    buckets: REQUEST_SECONDS,
  },
  imagejob_acceptance_seconds: {
    type: 'histogram',
    help: 'Time of an acceptance: starting the workflow and charging the account.',
    labels: ['outcome'],
    of: ['api'],
    buckets: REQUEST_SECONDS,
  },
  imagejob_rate_limited_total: {
    type: 'counter',
    help: 'Requests answered rate_limited, by the limit they exceeded.',
    labels: ['limit'],
    of: ['api'],
  },
  imagejob_request_bytes: {
    type: 'gauge',
    help: 'Bytes of request bodies and fetched images in flight, held of BYTES_IN_FLIGHT_MB.',
    labels: [],
    of: ['api'],
  },
  imagejob_acceptances_in_progress: {
    type: 'gauge',
    help: 'Acceptances in progress.',
    labels: [],
    of: ['api'],
  },
  imagejob_waiting_requests: {
    type: 'gauge',
    help: 'Requests that wait for a permit of a limit.',
    labels: ['budget'],
    of: ['api'],
  },
  imagejob_waiting_for_jobs: {
    type: 'gauge',
    help: 'Requests that wait for a job to end, by Prefer (prefer) or with an event stream (events).',
    labels: ['kind'],
    of: ['api'],
  },
  imagejob_images_charged_total: {
    type: 'counter',
    help: 'Images charged, counted when the transaction has committed.',
    labels: [],
    of: ['worker'],
  },
  imagejob_images_refunded_total: {
    type: 'counter',
    help: 'Images returned to the balance: of failed jobs, and of requests that were answered 5xx (voided).',
    labels: ['cause'],
    of: ['api', 'worker'],
  },
  imagejob_jobs_total: {
    type: 'counter',
    help: 'Jobs that ended, by tool, generator (none if none was asked) and end.',
    labels: ['tool', 'generator', 'end'],
    of: JOBS,
  },
  imagejob_job_oldest_processing_seconds: {
    type: 'gauge',
    help: 'Age of the oldest job that is processing; 0 if there is none.',
    labels: [],
    of: ['worker'],
  },
  imagejob_reconcile_stopped_total: {
    type: 'counter',
    help: 'Runs of the reconciler that found implausibly many lost jobs and refunded none.',
    labels: [],
    of: ['worker'],
  },
  imagejob_render_seconds: {
    type: 'histogram',
    help: 'processing_ms of completed jobs.',
    labels: ['generator'],
    of: JOBS,
    buckets: RENDER_SECONDS,
  },
  imagejob_upstream_seconds: {
    type: 'histogram',
    help: 'Time that an upstream took within one attempt, by its outcome there.',
    labels: ['generator', 'outcome'],
    of: ['renderer'],
    buckets: RENDER_SECONDS,
  },
  imagejob_upstream_calls_total: {
    type: 'counter',
    help: 'Calls to upstreams that ended, as recorded in MongoDB.',
    labels: ['generator', 'outcome'],
    of: ['renderer'],
  },
  imagejob_upstream_cost_usd_total: {
    type: 'counter',
    help: 'What upstreams say they charge, in US dollars, as recorded in MongoDB.',
    labels: ['generator'],
    of: ['renderer'],
  },
  imagejob_upstream_paused: {
    type: 'gauge',
    help: '1 while an upstream is not asked: its circuit breaker is open, or it has asked to wait.',
    labels: ['generator'],
    of: ['renderer'],
  },
  imagejob_upstream_calls_in_progress: {
    type: 'gauge',
    help: 'Calls in progress, of those that the concurrency of the upstream allows.',
    labels: ['generator'],
    of: ['renderer'],
  },
  imagejob_upstream_calls_waiting: {
    type: 'gauge',
    help: 'Renders that wait for a call to an upstream to end.',
    labels: ['generator'],
    of: ['renderer'],
  },
  imagejob_image_processes_busy: {
    type: 'gauge',
    help: 'Image processes at work, of IMAGE_PROCESSES.',
    labels: [],
    of: ['renderer'],
  },
  imagejob_image_tasks_waiting: {
    type: 'gauge',
    help: 'Images that wait for an image process (process) or for memory (memory).',
    labels: ['resource'],
    of: ['renderer'],
  },
  imagejob_image_memory_bytes: {
    type: 'gauge',
    help: 'Estimated memory of the images in work, of RENDER_MEMORY_MB.',
    labels: [],
    of: ['renderer'],
  },
  imagejob_queue_age_seconds: {
    type: 'gauge',
    help: 'Age of the oldest task that waits in a task queue of Temporal; of images: the oldest waiting job.',
    labels: ['queue'],
    of: ['worker'],
  },
  imagejob_queue_tasks: {
    type: 'gauge',
    help: 'Tasks that wait in a task queue of Temporal, approximately.',
    labels: ['queue'],
    of: ['worker'],
  },
  imagejob_webhook_attempts_total: {
    type: 'counter',
    help: 'Attempts to deliver a webhook: delivered, to be retried, failed for good, or cancelled.',
    labels: ['outcome'],
    of: ['worker'],
  },
  imagejob_webhook_attempt_seconds: {
    type: 'histogram',
    help: 'Time that a receiver took to answer or to fail.',
    labels: [],
    of: ['worker'],
    buckets: REQUEST_SECONDS,
  },
  imagejob_webhook_oldest_pending_seconds: {
    type: 'gauge',
    help: 'Age of the oldest event that is not delivered yet; 0 if there is none.',
    labels: [],
    of: ['worker'],
  },
  imagejob_removals_pending: {
    type: 'gauge',
    help: 'Images that are still to be removed from the image store.',
    labels: [],
    of: ['worker'],
  },
  imagejob_removals_oldest_seconds: {
    type: 'gauge',
    help: 'How long the oldest of them has been waiting; 0 if there is none.',
    labels: [],
    of: ['worker'],
  },
  imagejob_removals_held: {
    type: 'gauge',
    help: '1 if the latest retention run removed no image because the buckets are not those of MongoDB (installation), or no orphan of a bucket (inputs, results) because there were too many.',
    labels: ['reason'],
    of: ['worker'],
  },
  imagejob_ledger_breaches: {
    type: 'gauge',
    help: 'Breaches that the last audit of all ledgers has found; of each account 1,000 at most.',
    labels: [],
    of: ['worker'],
  },
  imagejob_ledger_audit_age_seconds: {
    type: 'gauge',
    help: 'Time since the last audit of all ledgers was completed; before the first one, since the first account was created.',
    labels: [],
    of: ['worker'],
  },
  imagejob_limit_held: {
    type: 'gauge',
    help: 'What is held of a limit: bytes, or the number of whatever the limit is on.',
    labels: ['limit'],
    of: ALL,
  },
  imagejob_limit_waiting: {
    type: 'gauge',
    help: 'Requests that wait for a limit. Where nobody waits in the process, because Temporal retries later, it is 0.',
    labels: ['limit'],
    of: ALL,
  },
  imagejob_dependency_up: {
    type: 'gauge',
    help: '1 if the process can use the dependency, as /readyz says.',
    labels: ['dependency'],
    of: ALL,
  },
} as const satisfies Record<string, MetricDefinition>;

type Label = (typeof METRICS)[keyof typeof METRICS]['labels'][number];

/** The values that each label can have. */
export const LABELS: Readonly<Record<Label, string>> = {
  method: 'GET, HEAD, POST, DELETE, OPTIONS, or `other`',
  route: 'the template of a route, such as `/api/v1/jobs/:id`, or `unknown`',
  status: 'the status codes of the [errors](errors.md), and those of successes',
  outcome:
    'of an acceptance: `accepted`, `existing`, `insufficient_credits`, `voided`, `unavailable`, `closed`, `unknown`; of a call: `completed`, `refused`, `unavailable`, `misconfigured`, `lost`, `cancelled`, and where it is timed also `exhausted` and `aborted`; of a webhook: `delivered`, `retry`, `failed`, `cancelled`',
  limit:
    'of rate_limited: `create-job`, `read-job`, `delete-job`, `read-account`, `list`, `webhooks`, `ip`, `site`, `ip-other`, `site-other`, `in-flight`, `unpaid-bytes`, `dry-run-bytes`, `host-bytes`, `test-events`, `redeliveries`, `failed-jobs`, `unread-bodies`, `secret-rotations`; of what is held: in an API `bytes`, `account-bytes`, `acceptances`, `fetches`, `drops`, `connections`, `waiting-for-jobs`; in a renderer `renders`, `images`, `image-processes`, `image-memory`, and each upstream as `upstream-` and its name; in a worker `webhooks`, `webhooks-unproven`, `webhooks-slow`, `webhooks-receivers`',
  budget: '`bytes`, `account_bytes`, `acceptances`, `fetches`, `drops`',
  kind: '`prefer`, `events`',
  cause: '`failed`, `voided`',
  tool: 'the slugs of `GET /v1/tools`',
  generator: 'the generators of [generators.md](generators.md), or `none`',
  end: '`completed`, `failed`',
  reason: '`installation`, `inputs`, `results`',
  resource: '`process`, `memory`',
  queue: '`jobs`, `images`, `webhooks`',
  dependency: '`mongodb`, `s3`, `temporal`',
};
