import { type GeneratorCall, summarizeCall } from '../lib/domain/generator-call.ts';
import type { AccountRecord, DeliveryRecord, JobRecord } from '../lib/domain/records.ts';
import { publicUrl } from '../lib/stores/image-store.ts';
import type { Deps } from './deps.ts';
import type { Fields } from './output.ts';

export async function describeAccount(deps: Deps, account: AccountRecord): Promise<Fields> {
  return fieldsOf(account, await deps.stores().packs.hasPaid(account.id));
}

/** A page of accounts with one query, in their order. */
export async function describeAccounts(deps: Deps, accounts: readonly AccountRecord[]) {
  const paid = await deps.stores().packs.paidAmong(accounts.map(({ id }) => id));
  return accounts.map((account) => ({ id: account.id, fields: fieldsOf(account, paid.has(account.id)) }));
}

const fieldsOf = (account: AccountRecord, hasPaid: boolean): Fields => ({
  account_id: account.id,
  name: account.name,
  status: account.status,
  balance: account.balance,
  watermark: !hasPaid,
  webhook_url: account.webhook.url,
  webhook_disabled: account.webhook.disabledReason,
  created_at: account.createdAt,
});

export function describeCall(call: GeneratorCall): Fields {
  const { generator, model, upstreamId, outcome, seconds, costUsd, mayBeCharged, edgeRecall, ...rest } =
    summarizeCall(call);
  return {
    generator,
    model,
    upstream_id: upstreamId,
    started_at: call.startedAt,
    outcome,
    seconds,
    cost_usd: costUsd,
    may_be_charged: mayBeCharged,
    edge_recall: edgeRecall,
    error: rest.error,
    earlier_failures: rest.earlierFailures,
  };
}

export function describeJob(deps: Deps, job: JobRecord): Fields {
  const { uploadUrl } = deps.config().s3;
  return {
    job_id: job.id,
    account_id: job.accountId,
    key_id: job.keyId,
    tool: job.tool,
    status: job.status,
    images_charged: job.imagesCharged,
    result_urls: job.results.map(({ key }) => publicUrl(uploadUrl, key)),
    error: job.error,
    created_at: job.createdAt,
    completed_at: job.completedAt,
    processing_ms: job.processingMs,
    options: job.options,
    warnings: job.warnings,
    webhook_url: job.webhookUrl,
    workflow_id: job.workflowId,
  };
}

/** The time of the last attempt of a failed delivery. */
export const failedAt = ({ attempts, createdAt }: DeliveryRecord): Date => attempts.at(-1)?.at ?? createdAt;

export function describeDelivery(delivery: DeliveryRecord): Fields {
  return {
    delivery_id: delivery.id,
    account_id: delivery.accountId,
    job_id: delivery.jobId,
    type: delivery.type,
    target: delivery.target,
    url: delivery.url,
    state: delivery.state,
    reason: delivery.reason,
    tries: delivery.tries,
    last_status: delivery.attempts.at(-1)?.status ?? null,
    next_attempt_at: delivery.nextAttemptAt,
    created_at: delivery.createdAt,
    // Scripts read the response body as `answer`.
    attempts: delivery.attempts.map(({ responseBody, ...attempt }) => ({ ...attempt, answer: responseBody })),
  };
}
