import { JOB_DELETED } from '../stores/delivery.ts';
import type { ImageStore } from '../stores/images.ts';
import type { AfterAttempt, DeliveryEnd, Stores } from '../stores/ports.ts';
import type { AccountRecord, DeliveryAttempt, DeliveryRecord, JobRecord } from '../stores/records.ts';
import { eventBody } from './webhook-event.ts';
import type { WebhookNotice } from './webhook-notices.ts';
import { delayAfter, type WebhookPolicy } from './webhook-policy.ts';
import { type SendDeps, type Sent, send } from './webhook-send.ts';

const GONE = 410;

export interface DeliveryDeps extends SendDeps {
  stores: Stores;
  images: Pick<ImageStore, 'resultUrl'>;
}

/** How a delivery ended. `superseded`: a redelivery has taken it over. */
export interface DeliveryOutcome {
  state: Exclude<DeliveryRecord['state'], 'pending'> | 'superseded';
  reason: string | null;
}

/** What an attempt came to for whoever sees to the next one. */
export type AttemptResult = DeliveryOutcome | { state: 'pending'; waitMs: number; problem: string };

/** Makes one attempt, with the job and the endpoint looked up just before it. Safe to repeat. */
export async function deliver(
  deps: DeliveryDeps,
  policy: WebhookPolicy,
  notice: WebhookNotice,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const { deliveries, accounts, jobs } = deps.stores;
  const { deliveryId, round, jobId } = notice;
  const [account, job] = await Promise.all([
    accounts.get(notice.accountId),
    jobId === null ? undefined : jobs.find(notice.accountId, jobId),
  ]);
  const destination = destinationOf(notice, account, job);
  if (typeof destination !== 'string') {
    await deliveries.close(deliveryId, round, destination);
    return destination;
  }
  const attempt = { at: new Date(), url: destination };
  const delivery = await deliveries.begin(deliveryId, round, attempt);
  if (delivery === undefined) return endedElsewhere(deps.stores, notice, policy);
  const body = eventBody(delivery, job, deps.images);
  const sent = await send(deps, policy, { account, delivery, body, signal, ...attempt });
  const brokenOff = signal.aborted && sent.attempt.error !== null;
  const next = brokenOff ? AT_ONCE : afterAttempt(sent, delivery, policy);
  const watched = notice.target === 'account' && jobId !== null && !brokenOff;
  await Promise.all([
    deliveries.record(deliveryId, round, sent.attempt, recorded(next)),
    watched && noteEndpoint(deps.stores, account, sent.attempt, policy),
  ]);
  if (brokenOff) throw signal.reason;
  return resultOf(next, sent.attempt);
}

/** Where it goes now, or why nowhere. */
function destinationOf(
  { jobId, target, insist }: WebhookNotice,
  { webhook }: AccountRecord,
  job: JobRecord | undefined,
): string | DeliveryEnd {
  const cancelled = (reason: string) => ({ state: 'cancelled', reason }) as const;
  if (jobId !== null && job === undefined) return cancelled(JOB_DELETED);
  const url = target === 'job' ? job?.webhookUrl : webhook.url;
  if (url === null || url === undefined) return cancelled('The account has no webhook endpoint.');
  if (target === 'account' && webhook.disabledReason !== null && !insist)
    return cancelled(`The webhook endpoint is disabled: ${webhook.disabledReason}`);
  return url;
}

async function endedElsewhere(
  { deliveries }: Stores,
  { deliveryId, round }: WebhookNotice,
  { timeoutMs }: WebhookPolicy,
): Promise<AttemptResult> {
  const row = await deliveries.find(deliveryId);
  if (row === undefined) return { state: 'cancelled', reason: 'The delivery is no longer in the log.' };
  if (row.round !== round) return { state: 'superseded', reason: 'A redelivery has taken it over.' };
  // Of this round as well: an attempt that was given up for dead began in the same moment. This one looks again once
  // that must be over.
  if (row.state === 'pending')
    return {
      state: 'pending',
      waitMs: 2 * timeoutMs,
      problem: 'Another attempt of this delivery is under way.',
    };
  return { state: row.state, reason: row.reason };
}

/** The end of a delivery, or how long Temporal is to wait, by its own clock. */
type Next = Exclude<AfterAttempt, { state: 'pending' }> | { state: 'pending'; waitMs: number };

/** What a worker that stops leaves behind is taken up by the next one. */
const AT_ONCE: Next = { state: 'pending', waitMs: 0 };

/** For people to read: nobody goes by the time, since another worker's clock may differ. */
const recorded = (next: Next): AfterAttempt =>
  next.state === 'pending' ? { state: 'pending', nextAttemptAt: new Date(Date.now() + next.waitMs) } : next;

function afterAttempt(
  { attempt, retryAfterMs }: Sent,
  delivery: DeliveryRecord,
  policy: WebhookPolicy,
): Next {
  if (attempt.error === null) return { state: 'delivered' };
  if (attempt.status === GONE) return { state: 'failed', reason: 'The receiver wants no more (410 Gone).' };
  // A test is to say at once how the endpoint does.
  const waitMs = delivery.jobId === null ? undefined : delayAfter(delivery.tries, policy, retryAfterMs);
  if (waitMs === undefined)
    return { state: 'failed', reason: `No attempt of ${delivery.tries} succeeded. ${attempt.error}` };
  return { state: 'pending', waitMs };
}

/** Keeps the account's endpoint up to date on how it does, and takes it out of use when it asks or fails for days. */
async function noteEndpoint(
  { accounts }: Stores,
  { id, webhook }: AccountRecord,
  { at, url, status, error }: DeliveryAttempt,
  { disableAfterMs }: WebhookPolicy,
): Promise<void> {
  if (url === null) return;
  const { failingSince } = webhook;
  if (error === null) {
    if (failingSince !== undefined) await accounts.noteEndpoint(id, url, 'well');
  } else if (status === GONE) {
    await accounts.noteEndpoint(id, url, { disabledReason: `It answered 410 Gone on ${at.toISOString()}.` });
  } else if (failingSince === undefined) {
    await accounts.noteEndpoint(id, url, { failingSince: at });
  } else if (at.getTime() - failingSince.getTime() > disableAfterMs) {
    const disabledReason = `Every delivery since ${failingSince.toISOString()} failed.`;
    await accounts.noteEndpoint(id, url, { disabledReason });
  }
}

function resultOf(next: Next, { error }: DeliveryAttempt): AttemptResult {
  if (next.state === 'delivered') return { state: 'delivered', reason: null };
  return next.state === 'pending' ? { ...next, problem: error ?? '' } : next;
}
