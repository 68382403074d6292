import { createAcceptanceActivities } from './acceptance.ts';
import { createCompletionActivities } from './completion.ts';
import type { createRenderingActivities } from './rendering.ts';
import { createRetentionActivities } from './retention.ts';
import { createSweepActivities, type SweepDeps } from './sweep.ts';
import { createWebhookNotices } from './webhook-notices.ts';
import { createWebhookActivities, type WebhookDeps } from './webhooks.ts';

export type { JobFailure } from '../stores/ports.ts';
export type { ImageFormat, JobDraft } from '../stores/records.ts';
export type { AcceptanceOutcome } from './acceptance.ts';
export type { JobEnd } from './completion.ts';
export type { DeliveryOutcome } from './delivery.ts';
export type { RenderInput, RenderReport, RenderResult } from './rendering.ts';
export type { SweepBatch, SweepCounts, WorkflowProbe } from './sweep.ts';
export type { WebhookNotice } from './webhook-notices.ts';

export type ActivityDeps = SweepDeps & WebhookDeps;

/** The activities of a worker, by the task queue that runs them; those of a renderer are apart. */
export function createActivities(deps: ActivityDeps) {
  return {
    jobs: {
      ...createAcceptanceActivities(deps),
      ...createCompletionActivities(deps),
      ...createRetentionActivities(deps),
      ...createSweepActivities(deps),
      ...createWebhookNotices(deps),
    },
    webhooks: createWebhookActivities(deps),
  };
}

type ByQueue = ReturnType<typeof createActivities> & { images: ReturnType<typeof createRenderingActivities> };
/** Every activity a workflow may call, by name. */
export type Activities = ByQueue['jobs'] & ByQueue['images'] & ByQueue['webhooks'];
