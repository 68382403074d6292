import { createAcceptanceActivities } from './jobs/acceptance.ts';
import { type CompletionDeps, createCompletionActivities } from './jobs/completion.ts';
import type { createRenderActivities } from './jobs/render-job.ts';
import { createReconcileActivities } from './reconcile/activities.ts';
import type { ReconcileDeps } from './reconcile/rules.ts';
import { createRetentionActivities, type RetentionDeps } from './retention/steps.ts';
import { createWebhookActivities, type WebhookDeps } from './webhooks/deliver-webhook.ts';
import { createDeliveryActivities } from './webhooks/pending-delivery.ts';

export type ActivityDeps = CompletionDeps & RetentionDeps & ReconcileDeps & WebhookDeps;

/**
 * Activities of the worker process by task queue. The renderer has its own:
 * {@link createRenderActivities}.
 */
export function createActivities(deps: ActivityDeps) {
  return {
    jobs: {
      ...createAcceptanceActivities(deps),
      ...createCompletionActivities(deps),
      ...createRetentionActivities(deps),
      ...createReconcileActivities(deps),
      ...createDeliveryActivities(deps),
    },
    webhooks: createWebhookActivities(deps),
  };
}

type ByQueue = ReturnType<typeof createActivities> & { images: ReturnType<typeof createRenderActivities> };

export type Activities = ByQueue['jobs'] & ByQueue['images'] & ByQueue['webhooks'];
