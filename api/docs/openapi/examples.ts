import type { Static } from 'typebox';
import type { JobList, LedgerList } from '../../../lib/contract/lists.ts';
import type {
  Account,
  CreateJob,
  DryRunResult,
  Job,
  JobCreated,
  JobProgress,
  JobReplayed,
  Tool,
  ToolWithOptions,
} from '../../../lib/contract/schemas.ts';
import type { TestEvent, WebhookEvent } from '../../../lib/contract/webhook.ts';
import { CANCELLED_JOB, NOT_GENERATED, refundedError } from '../../../lib/domain/job-errors.ts';
import { DELIVERY_EXAMPLES, DELIVERY_REQUEST_EXAMPLES } from './delivery-examples.ts';
import type { Examples } from './types.ts';

const JOB_ID = '7c6c4f0e-2f0b-4c43-9d0a-6f0a3c8e51b7';
const RESULT = 'https://images.example.com/5f4c1c1e-93b4-4d0e-8d5e-0c7a5c0a9b11/b1d7f4a2-declutter.jpeg';
/** A grey PNG of 1x1 pixels. */
const IMAGE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==';

const processing: Job = {
  job_id: JOB_ID,
  tool: 'declutter',
  status: 'processing',
  images_charged: 1,
  result_urls: [],
  error: null,
  created_at: '2026-11-20T09:30:12.402Z',
  completed_at: null,
  processing_ms: null,
  refunded: false,
  failure: null,
  idempotency_key: 'listing-4711-photo-3',
};

const completed: Job = {
  ...processing,
  status: 'completed',
  result_urls: [RESULT],
  completed_at: '2026-11-20T09:30:19.117Z',
  processing_ms: 6204,
};

const failed: Job = {
  ...processing,
  status: 'failed',
  error: refundedError(NOT_GENERATED),
  completed_at: '2026-11-20T09:30:41.950Z',
  processing_ms: 29_018,
  refunded: true,
  failure: { reason: 'unavailable', retryable: true },
};

const cancelled: Job = {
  ...processing,
  status: 'failed',
  error: CANCELLED_JOB.error,
  completed_at: '2026-11-20T09:30:13.021Z',
  refunded: true,
  failure: { reason: 'cancelled', retryable: true },
};

const created: JobCreated = { job_id: JOB_ID, status: 'processing', images_charged: 1, warnings: [] };

const warned: JobCreated = {
  ...created,
  images_charged: 2,
  warnings: [
    {
      code: 'option_ignored',
      option: 'colour',
      message: 'wall-color-change has no option "colour"; it was ignored. Did you mean wallColor?',
    },
  ],
};

const replayed: JobReplayed = { ...completed, warnings: [] };

const priced: DryRunResult = {
  valid: true,
  tool: 'roof-replacement',
  images_charged: 2,
  warnings: [],
  balance_after: 2429,
};

const byUrl: CreateJob = {
  tool: 'roof-replacement',
  image_url: 'https://photos.example.com/4711/front.jpg',
  options: { material: 'slate', resolution: '4K' },
  webhook_url: 'https://hooks.example.com/image-jobs',
};

const event = (data: Job): WebhookEvent => ({
  type: data.status === 'failed' ? 'job.failed' : 'job.completed',
  timestamp: data.completed_at ?? data.created_at,
  job_id: data.job_id,
  data,
});

const progress: JobProgress = { elapsed_ms: 2114, expected_ms: 6400 };

const serverSent = (name: string, data: object, id = '') =>
  `${id}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

const stream = [
  'retry: 3000\n\n',
  serverSent('status', processing, 'id: processing\n'),
  serverSent('progress', progress),
  serverSent('status', completed, 'id: completed\n'),
].join('');

const jobs: JobList = { data: [{ ...completed, idempotency_key: null }], has_more: true };

const ledger: LedgerList = {
  data: [
    {
      id: `refund:${JOB_ID}`,
      at: '2026-11-20T09:30:41.950Z',
      kind: 'refund',
      images: 1,
      balance_after: 2431,
      job_id: JOB_ID,
      pack_id: null,
    },
    {
      id: `charge:${JOB_ID}`,
      at: '2026-11-20T09:30:12.402Z',
      kind: 'charge',
      images: -1,
      balance_after: 2430,
      job_id: JOB_ID,
      pack_id: null,
    },
  ],
  has_more: true,
};

const account: Account = {
  name: 'Listing importer',
  status: 'active',
  image_credits: 2431,
  retention_days: null,
};

const tools: Static<typeof Tool>[] = [
  { slug: 'virtual-staging', images_cost: 1, preview_only: false },
  { slug: '4k-upscale', images_cost: 2, preview_only: false },
];

const roof: ToolWithOptions = {
  slug: 'roof-replacement',
  images_cost: 1,
  preview_only: false,
  title: 'Roof replacement',
  description: 'Replaces the roofing.',
  options: {
    title: 'Roof replacement',
    type: 'object',
    properties: {
      material: {
        title: 'Material',
        type: 'string',
        enum: ['architectural-shingle', 'metal-standing-seam', 'clay-tile', 'slate', 'cedar-shake'],
        default: 'architectural-shingle',
      },
      resolution: { title: 'Resolution', type: 'string', enum: ['2K', '4K'], default: '2K' },
    },
  },
};

/** Request bodies by operation. */
export const REQUEST_EXAMPLES: Record<string, Examples> = {
  ...DELIVERY_REQUEST_EXAMPLES,
  createJob: {
    base64: {
      summary: 'An image in the body',
      value: { tool: 'declutter', image_base64: IMAGE } satisfies CreateJob,
    },
    url: { summary: 'An image by URL, in 4K, with a webhook', value: byUrl },
    staging: {
      summary: 'Virtual staging, which needs a style',
      value: {
        tool: 'virtual-staging',
        image_base64: IMAGE,
        options: { style: 'scandinavian', roomType: 'living-room' },
      } satisfies CreateJob,
    },
    custom: {
      summary: 'In your own words',
      value: {
        tool: 'item-removal',
        image_base64: IMAGE,
        options: { tier: 'custom', customPrompt: 'Remove the cables under the desk.' },
      } satisfies CreateJob,
    },
  },
};

/** Response bodies by operation and status. */
export const RESPONSE_EXAMPLES: Record<string, Record<string, Examples>> = {
  createJob: {
    200: {
      priced: { summary: 'A dry run of a job in 4K', value: priced },
      repeated: {
        summary: 'A dry run whose Idempotency-Key has already created a job',
        value: { ...priced, images_charged: 0, balance_after: 2431 } satisfies DryRunResult,
      },
    },
    201: {
      created: { summary: 'A new job', value: created },
      warned: { summary: 'A new job in 4K with an option that was ignored', value: warned },
      replayed: { summary: 'A repeated Idempotency-Key: the current job', value: replayed },
    },
  },
  getJob: {
    200: {
      processing: { summary: 'Still processing', value: processing },
      completed: { summary: 'Completed', value: completed },
      failed: { summary: 'Failed and refunded', value: failed },
    },
  },
  streamJobEvents: { 200: { events: { summary: 'A job that completes', value: stream } } },
  cancelJob: {
    200: { cancelled: { summary: 'Cancelled and refunded', value: cancelled } },
  },
  listJobs: { 200: { page: { summary: 'A page of one job', value: jobs } } },
  listLedger: { 200: { page: { summary: 'A job that was charged and refunded', value: ledger } } },
  ...DELIVERY_EXAMPLES,
  getAccount: { 200: { account: { value: account } } },
  listTools: {
    200: {
      tools: { summary: 'Two of the tools', value: tools },
      expanded: { summary: 'One of the tools, with `expand=options`', value: [roof] },
    },
  },
  getTool: { 200: { tool: { summary: 'A tool, with some of its options', value: roof } } },
};

export const WEBHOOK_EXAMPLES: Examples = {
  completed: { summary: 'A job completed', value: event(completed) },
  failed: { summary: 'A job failed and was refunded', value: event(failed) },
};

export const TEST_EVENT_EXAMPLES: Examples = {
  ping: {
    value: {
      type: 'test.ping',
      timestamp: '2026-11-20T09:30:00.000Z',
      data: { account_id: '5f4c1c1e-93b4-4d0e-8d5e-0c7a5c0a9b11' },
    } satisfies TestEvent,
  },
};
