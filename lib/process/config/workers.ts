import { availableParallelism } from 'node:os';
import { type Static, Type } from 'typebox';
import { Count, Milliseconds, Optional } from './variables.ts';

/** Environment variables of workers and renderers. */
export const WORKER_ENVIRONMENT = {
  WATERMARK_TEXT: Type.String({
    // The font must have the first character, so that there is something to draw.
    pattern: '^[!-~\\u00a1-\\u017f\\u0388-\\u03ce\\u0400-\\u0482][^\\n]{0,39}$',
    expected: '1 to 40 Latin, Greek or Cyrillic characters on one line',
    description:
      'Words of the watermark on results of accounts without a paid pack, at most 40 Latin, Greek or Cyrillic characters.',
    default: 'Image Job API',
  }),
  RENDER_SLOTS: Count(
    'Concurrent renders per renderer, also those that wait for a model; 0 suits the *_CONCURRENCY and IMAGE_PROCESSES.',
    0,
    0,
  ),
  IMAGE_PROCESSES: Count(
    'Image processes per renderer, each with one image at a time; 0 uses one fewer than there are CPUs.',
    0,
    0,
  ),
  RENDER_MEMORY_MB: Count(
    'Megabytes of estimated memory for the images in progress in a renderer; one image needs up to 1,000.',
    2048,
    256,
  ),
  RENDER_UNAVAILABLE_MS: Milliseconds(
    'Milliseconds after which a job whose models are unavailable fails. A model that completes calls of other jobs is waited for.',
    1_800_000,
  ),
  RENDER_GRACE_MS: Milliseconds(
    'Milliseconds that renders may take to finish after SIGTERM. Keep it longer than the longest call: one that is cut off is paid twice.',
    210_000,
  ),
  WORKER_QUEUES: Type.Enum(['all', 'jobs', 'webhooks'], {
    description: 'Task queues of a worker process: jobs, webhooks or all, which is both.',
    default: 'all',
  }),
  WEBHOOK_SLOTS: Count('Concurrent webhook deliveries per worker.', 100),
  RECONCILE_INTERVAL_MS: Milliseconds(
    'Milliseconds between two runs of the reconciler, which refunds lost jobs and resumes lost webhooks.',
    300_000,
    1000,
  ),
  WORKFLOW_BUNDLE: Optional(
    'Path of a prebuilt workflow bundle; empty builds one at startup, which the Docker image cannot.',
  ),
};

const Worker = Type.Object(WORKER_ENVIRONMENT);

const LEAST_IMAGES = 8;

/** @param upstreamPlaces concurrent calls of one renderer to all upstreams */
export function groupWorker(env: Static<typeof Worker>, upstreamPlaces: number) {
  const imageProcesses = env.IMAGE_PROCESSES || Math.max(1, availableParallelism() - 1);
  const imagesInMemory = Math.max(LEAST_IMAGES, 2 * imageProcesses);
  return Object.freeze({
    renderSlots: env.RENDER_SLOTS || imagesInMemory + upstreamPlaces,
    imageProcesses,
    /**
     * Clients' images that a renderer has loaded: the images in the processes, and as many again
     * that wait for a process.
     */
    imagesInMemory,
    renderMemoryBytes: env.RENDER_MEMORY_MB * 2 ** 20,
    renderUnavailableMs: env.RENDER_UNAVAILABLE_MS,
    renderGraceMs: env.RENDER_GRACE_MS,
    watermarkText: env.WATERMARK_TEXT,
    queues: env.WORKER_QUEUES,
    webhookSlots: env.WEBHOOK_SLOTS,
    reconcileIntervalMs: env.RECONCILE_INTERVAL_MS,
  });
}
