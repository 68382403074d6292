import { gauge, type Metrics, sampleLimits } from '../lib/telemetry/metrics/metrics.ts';
import type { ApiLimits } from './admission/limits.ts';
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

/** Every scrape says what is held of each limit, and how many requests wait for it. */
export function sampleApiLimits(metrics: Metrics, limits: ApiLimits, waiters: Pick<Waiters, 'limit'>): void {
  const { bytes, accountBytes, acceptances, fetches, unreadBodies, connections } = limits;
  const common = { bytes, acceptances, fetches, drops: unreadBodies };
  sampleLimits(metrics, {
    ...common,
    connections,
    'account-bytes': accountBytes,
    'waiting-for-jobs': waiters.limit,
  });
  metrics.sample(() => [
    gauge('imagejob_request_bytes', {}, bytes.held),
    gauge('imagejob_acceptances_in_progress', {}, acceptances.held),
    ...Object.entries({ ...common, account_bytes: accountBytes }).map(([budget, { waiting }]) =>
      gauge('imagejob_waiting_requests', { budget }, waiting),
    ),
  ]);
}

/** Every scrape says how many requests wait for jobs to end. */
export function sampleWaiters(metrics: Metrics, { counts }: Pick<Waiters, 'counts'>): void {
  metrics.sample(() =>
    Object.entries(counts).map(([kind, requests]) => gauge('imagejob_waiting_for_jobs', { kind }, requests)),
  );
}
