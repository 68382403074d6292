import type { Limit } from '../lib/admission/limit.ts';
import { gauge, type Metrics } from '../lib/telemetry/metrics/metrics.ts';
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
export function sampleLimits(metrics: Metrics, limits: ApiLimits, waiters: Pick<Waiters, 'limit'>): void {
  const { bytes, accountBytes, acceptances, fetches, unreadBodies } = limits;
  const all = {
    bytes,
    account_bytes: accountBytes,
    acceptances,
    fetches,
    unread_bodies: unreadBodies,
    waiting_for_jobs: waiters.limit,
  };
  const waiting = (budget: string, limit: Pick<Limit, 'waiting'>) =>
    gauge('imagejob_waiting_requests', { budget }, limit.waiting);
  metrics.sample(() => [
    ...Object.entries(all).flatMap(([limit, { held, waiting }]) => [
      gauge('imagejob_limit_held', { limit }, held),
      gauge('imagejob_limit_waiting', { limit }, waiting),
    ]),
    gauge('imagejob_request_bytes', {}, bytes.held),
    gauge('imagejob_acceptances_in_progress', {}, acceptances.held),
    waiting('bytes', bytes),
    waiting('account_bytes', accountBytes),
    waiting('acceptances', acceptances),
    waiting('fetches', fetches),
    waiting('drops', unreadBodies),
  ]);
}

/** Every scrape says how many requests wait for jobs to end. */
export function sampleWaiters(metrics: Metrics, { counts }: Pick<Waiters, 'counts'>): void {
  metrics.sample(() =>
    Object.entries(counts).map(([kind, requests]) => gauge('imagejob_waiting_for_jobs', { kind }, requests)),
  );
}
