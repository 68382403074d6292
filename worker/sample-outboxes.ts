import { gauge, type Metrics } from '../metrics/metrics.ts';
import type { Stores } from '../stores/stores.ts';

/** Every scrape says how long the oldest webhook and the oldest removal have been waiting. */
export function sampleOutboxes(metrics: Metrics, { deliveries, removals }: Stores): void {
  metrics.sample(async () => [
    gauge('imagejob_webhook_oldest_pending_seconds', {}, ageOf(await deliveries.oldestPending())),
  ]);
  metrics.sample(async () => {
    const { count, oldest } = await removals.backlog();
    return [
      gauge('imagejob_removals_pending', {}, count),
      gauge('imagejob_removals_oldest_seconds', {}, ageOf(oldest)),
    ];
  });
}

/** In seconds; never negative, although another machine's clock may be ahead. */
const ageOf = (since: Date | null) => (since === null ? 0 : Math.max(0, Date.now() - since.getTime()) / 1000);
