import type { Stores } from '../lib/stores/stores.ts';
import { gauge, type Metrics } from '../lib/telemetry/metrics/metrics.ts';
import { ageOf } from './sample-outboxes.ts';

/** Every scrape says what the last audit of all ledgers has found, and how long ago. */
export function sampleAudit(metrics: Metrics, { ledger }: Pick<Stores, 'ledger'>): void {
  metrics.sample(async () => {
    const last = await ledger.lastAudit();
    return [
      gauge('imagejob_ledger_breaches', {}, last.breaches),
      gauge('imagejob_ledger_audit_age_seconds', {}, ageOf(last.at)),
    ];
  });
}
