import type { HoldReason, Stores } from '../lib/stores/stores.ts';
import { gauge, type Metrics } from '../lib/telemetry/metrics/metrics.ts';

const HOLD_REASONS: readonly HoldReason[] = ['installation', 'inputs', 'results'];

/**
 * Every scrape says how old the oldest job in progress is, how long webhooks and removals have been waiting, and what
 * holds removals back.
 */
export function sampleOutboxes(
  metrics: Metrics,
  { deliveries, removals, retention, settings }: Stores,
): void {
  metrics.sample(async () => [
    gauge('imagejob_job_oldest_processing_seconds', {}, ageOf(await retention.oldestProcessing())),
  ]);
  metrics.sample(async () => [
    gauge('imagejob_webhook_oldest_pending_seconds', {}, ageOf(await deliveries.oldestPending())),
  ]);
  metrics.sample(async () => {
    const held = await settings.removalsHeld();
    return HOLD_REASONS.map((reason) =>
      gauge('imagejob_removals_held', { reason }, held.includes(reason) ? 1 : 0),
    );
  });
  metrics.sample(async () => {
    const { count, oldest } = await removals.backlog();
    return [
      gauge('imagejob_removals_pending', {}, count),
      gauge('imagejob_removals_oldest_seconds', {}, ageOf(oldest)),
    ];
  });
}

/** In seconds; never negative, although another machine's clock may be ahead. */
export const ageOf = (since: Date | null) =>
  since === null ? 0 : Math.max(0, Date.now() - since.getTime()) / 1000;
