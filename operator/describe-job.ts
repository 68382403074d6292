import { type GeneratorCall, summarizeCall } from '../lib/domain/generator-call.ts';
import type { JobRecord } from '../lib/domain/records.ts';
import { publicUrl } from '../lib/stores/image-store.ts';
import type { Deps } from './deps.ts';
import type { Fields } from './output.ts';

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
