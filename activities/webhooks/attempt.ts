import { JOB_DELETED } from '../../lib/domain/delivery.ts';
import type { AccountRecord, DeliveryAttempt, DeliveryRecord, JobRecord } from '../../lib/domain/records.ts';
import type { PendingDelivery } from '../../lib/protocol/webhooks.ts';
import type { AfterAttempt, DeliveryEnd } from '../../lib/stores/delivery-store.ts';
import type { ImageStore } from '../../lib/stores/image-store.ts';
import type { Stores } from '../../lib/stores/stores.ts';
import { delayAfter, type WebhookPolicy } from './policy.ts';
import { eventBody, type SendDeps, type SentWebhook, sendWebhook } from './send.ts';

const GONE = 410;

export interface DeliveryDeps extends SendDeps {
  stores: Stores;
  images: Pick<ImageStore, 'resultUrl'>;
}

/** How a delivery ended. `superseded`: a redelivery has replaced it. */
export interface DeliveryOutcome {
  state: Exclude<DeliveryRecord['state'], 'pending'> | 'superseded';
  reason: string | null;
}

/** Result of one attempt: the end of the delivery, or how long to wait for the next attempt. */
export type AttemptResult = DeliveryOutcome | { state: 'pending'; waitMs: number; problem: string };

/**
 * Makes one attempt with the job and the endpoint as they are now. Once the delivery has ended,
 * sends nothing.
 */
export async function deliver(
  deps: DeliveryDeps,
  policy: WebhookPolicy,
  pending: PendingDelivery,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const { deliveries, accounts, jobs } = deps.stores;
  const { deliveryId, cycle, jobId } = pending;
  const [account, job] = await Promise.all([
    accounts.get(pending.accountId),
    jobId === null ? undefined : jobs.find(pending.accountId, jobId),
  ]);
  const destination = destinationOf(pending, account, job);
  if (typeof destination !== 'string') {
    await deliveries.close(deliveryId, cycle, destination);
    return destination;
  }
  const attempt = { at: new Date(), url: destination };
  const delivery = await deliveries.begin(deliveryId, cycle, attempt);
  if (delivery === undefined) return endedElsewhere(deps.stores, pending, policy);
  const body = eventBody(delivery, job, deps.images);
  const sent = await sendWebhook(deps, policy, { account, delivery, body, signal, ...attempt });
  const aborted = signal.aborted && sent.attempt.error !== null;
  const next = aborted ? IMMEDIATELY : afterAttempt(sent, delivery, policy);
  const showsHealth = pending.target === 'account' && jobId !== null && !aborted;
  await Promise.all([
    deliveries.record(deliveryId, cycle, sent.attempt, toRecord(next)),
    showsHealth && updateEndpointHealth(deps.stores, account, sent.attempt),
  ]);
  if (showsHealth && next.state === 'failed')
    await countFailedCycle(deps.stores, account, { delivery, attempt: sent.attempt }, policy);
  if (aborted) throw signal.reason;
  return resultOf(next, sent.attempt);
}

/** The URL to send to, or why the delivery is cancelled. */
function destinationOf(
  { jobId, target, force }: PendingDelivery,
  { status, webhook }: AccountRecord,
  job: JobRecord | undefined,
): string | DeliveryEnd {
  const cancelled = (reason: string) => ({ state: 'cancelled', reason }) as const;
  if (jobId !== null && job === undefined) return cancelled(JOB_DELETED);
  // The jobs of a closed account are about to be deleted, and its secret is gone.
  if (status === 'closed') return cancelled('The account is closed.');
  const url = target === 'job' ? job?.webhookUrl : webhook.url;
  if (url === null || url === undefined) return cancelled('The account has no webhook endpoint.');
  if (target === 'account' && webhook.disabledReason !== null && !force)
    return cancelled(`The webhook endpoint is disabled: ${webhook.disabledReason}`);
  return url;
}

async function endedElsewhere(
  { deliveries }: Stores,
  { deliveryId, cycle }: PendingDelivery,
  { timeoutMs }: WebhookPolicy,
): Promise<AttemptResult> {
  const row = await deliveries.find(deliveryId);
  if (row === undefined) return { state: 'cancelled', reason: 'The delivery is no longer in the log.' };
  if (row.cycle !== cycle) return { state: 'superseded', reason: 'A redelivery has replaced it.' };
  // Another attempt of this cycle is in progress. Check again once it has ended.
  if (row.state === 'pending')
    return {
      state: 'pending',
      waitMs: 2 * timeoutMs,
      problem: 'Another attempt of this delivery is in progress.',
    };
  return { state: row.state, reason: row.reason };
}

/** The end of a delivery, or how long Temporal waits before the next attempt. */
type Next = Exclude<AfterAttempt, { state: 'pending' }> | { state: 'pending'; waitMs: number };

/** After a worker shutdown, the next attempt follows without the delay of the schedule. */
const IMMEDIATELY: Next = { state: 'pending', waitMs: 0 };

/**
 * The record of it. `nextAttemptAt` is only for display: workers' clocks may differ, so no code
 * relies on it.
 */
const toRecord = (next: Next): AfterAttempt =>
  next.state === 'pending' ? { state: 'pending', nextAttemptAt: new Date(Date.now() + next.waitMs) } : next;

function afterAttempt(
  { attempt, retryAfterMs }: SentWebhook,
  delivery: DeliveryRecord,
  policy: WebhookPolicy,
): Next {
  if (attempt.error === null) return { state: 'delivered' };
  if (attempt.status === GONE) return { state: 'failed', reason: 'The receiver responded with 410 Gone.' };
  // A test event reports the result of its only attempt.
  const waitMs = delivery.jobId === null ? undefined : delayAfter(delivery.tries, policy, retryAfterMs);
  if (waitMs === undefined)
    return { state: 'failed', reason: `All ${delivery.tries} attempts failed. ${attempt.error}` };
  return { state: 'pending', waitMs };
}

/** Records the endpoint's health, and disables it after a 410. */
async function updateEndpointHealth(
  { accounts }: Stores,
  { id, webhook }: AccountRecord,
  { at, url, status, error }: DeliveryAttempt,
): Promise<void> {
  if (url === null) return;
  if (error === null) {
    if (webhook.failingSince !== undefined) await accounts.recordEndpointHealth(id, url, 'healthy');
  } else if (status === GONE) {
    await accounts.recordEndpointHealth(id, url, {
      disabledReason: `The endpoint responded with 410 Gone on ${at.toISOString()}.`,
    });
  } else if (webhook.failingSince === undefined) {
    await accounts.recordEndpointHealth(id, url, { failingSince: at });
  }
}

/**
 * Counts the cycle, and disables the endpoint once enough cycles have failed for long enough. A
 * failed attempt alone disables nothing: the endpoint may have been idle since an earlier failure.
 */
async function countFailedCycle(
  { accounts }: Stores,
  { id }: AccountRecord,
  { delivery, attempt: { at, url, status } }: { delivery: DeliveryRecord; attempt: DeliveryAttempt },
  { disableAfterMs, disableAfterCycles }: WebhookPolicy,
): Promise<void> {
  if (url === null || status === GONE) return;
  const from = delivery.attempts.at(-delivery.tries)?.at ?? at;
  await accounts.recordEndpointHealth(id, url, { failedCycle: { from, until: at } });
  const { failingSince, failedCycles } = (await accounts.get(id)).webhook;
  if (failingSince === undefined || failedCycles === undefined) return;
  if (failedCycles.count < disableAfterCycles || at.getTime() - failingSince.getTime() <= disableAfterMs)
    return;
  const disabledReason = `Every delivery since ${failingSince.toISOString()} failed.`;
  await accounts.recordEndpointHealth(id, url, { disabledReason, ifFailingSince: failingSince });
}

function resultOf(next: Next, { error }: DeliveryAttempt): AttemptResult {
  if (next.state === 'delivered') return { state: 'delivered', reason: null };
  return next.state === 'pending' ? { ...next, problem: error ?? '' } : next;
}
