import { gauge, type Metrics } from '../lib/telemetry/metrics/metrics.ts';
import type { Budgets } from './admission/limits.ts';
import type { JobGateway } from './jobs/gateway.ts';
import type { Waiters } from './waiting/waiters.ts';

/** The gateway, with its acceptances timed. */
export function timeAcceptances(gateway: JobGateway, metrics: Metrics): JobGateway {
  return {
    ...gateway,
    async accept(request, withinMs) {
      const start = performance.now();
      const accepted = await gateway.accept(request, withinMs);
      const seconds = (performance.now() - start) / 1000;
      metrics.observe('imagejob_acceptance_seconds', { outcome: accepted.outcome }, seconds);
      return accepted;
    },
  };
}

/** Every scrape says what is in flight, and how many requests wait. */
export function sampleBudgets(metrics: Metrics, budgets: Budgets): void {
  const { bytes, acceptances, fetches, drops } = budgets;
  const waiting = (budget: string, requests: number) =>
    gauge('imagejob_waiting_requests', { budget }, requests);
  metrics.sample(() => [
    gauge('imagejob_request_bytes', {}, bytes.held),
    gauge('imagejob_acceptances_in_progress', {}, acceptances.held),
    waiting('bytes', bytes.waiting),
    waiting('account_bytes', budgets.waitingForAccounts()),
    waiting('acceptances', acceptances.waiting),
    waiting('fetches', fetches.waiting),
    waiting('drops', drops.waiting),
  ]);
}

/** Every scrape says how many requests wait for jobs to end. */
export function sampleWaiters(metrics: Metrics, { counts }: Pick<Waiters, 'counts'>): void {
  metrics.sample(() =>
    Object.entries(counts).map(([kind, requests]) => gauge('imagejob_waiting_for_jobs', { kind }, requests)),
  );
}
