import { randomUUID } from 'node:crypto';
import { findTool, planRender } from '../../lib/catalog/catalog.ts';
import { digestApiKey } from '../../lib/domain/api-key.ts';
import type { JobDraft } from '../../lib/domain/records.ts';
import { jobWorkflowId } from '../../lib/protocol/workflow-ids.ts';
import type { BenchCaller } from './callers.ts';
import type { BenchEnvironment } from './environment.ts';

/** Accepts a job of the caller in the database, without a workflow. */
export async function acceptJob({ stores }: BenchEnvironment, { accountId, apiKey }: BenchCaller) {
  const key = await stores.keys.findCaller(digestApiKey(apiKey));
  const tool = findTool('declutter');
  const planned = tool === undefined ? undefined : planRender(tool, {});
  if (key === undefined || planned?.ok !== true) throw new Error('The caller or the tool is missing.');
  const jobId = randomUUID();
  const draft: JobDraft = {
    jobId,
    accountId,
    keyId: key.keyId,
    tool: planned.plan.tool,
    options: planned.plan.settings,
    warnings: [],
    imagesCharged: 1,
    idempotencyKey: null,
    bodyDigest: '',
    webhookUrl: null,
    workflowId: jobWorkflowId(jobId),
    input: { bucket: 'inputs', key: `${accountId}/${jobId}.jpeg` },
  };
  await stores.jobs.accept(draft);
  return { jobId, keyId: key.keyId };
}
