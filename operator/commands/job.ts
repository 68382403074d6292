import { type GeneratorCall, summarizeCall } from '../../domain/generator-call.ts';
import type { JobRecord } from '../../domain/records.ts';
import { publicUrl } from '../../stores/image-store.ts';
import { limitArgument } from '../arguments.ts';
import type { Noun } from '../context.ts';
import { Failure } from '../failure.ts';
import type { Fields } from '../output.ts';

export const job: Noun = (program, { deps, show }) => {
  const noun = program.command('job').description('jobs of every account, deleted ones included');

  noun
    .command('show <job>')
    .description('show everything stored about a job')
    .action(async (jobId: string) => {
      const found = await deps.stores().jobs.get(jobId);
      if (found === undefined) throw new Failure(`There is no job ${jobId}.`);
      const calls = (await deps.stores().generatorCalls.list(jobId)).map(describeCall);
      show({ fields: { ...describe(found, deps.config().s3.uploadUrl), generator_calls: calls } });
    });

  noun
    .command('list')
    .description('list the jobs of an account, the newest first')
    .requiredOption('--account <account>', 'account the jobs belong to')
    .option('--limit <n>', 'how many at most', limitArgument, 50)
    .action(async ({ account, limit }: { account: string; limit: number }) => {
      const stores = deps.stores();
      await stores.accounts.get(account);
      const { uploadUrl } = deps.config().s3;
      const rows = (await stores.jobs.list(account, limit)).map((found) => describe(found, uploadUrl));
      const columns = ['job_id', 'tool', 'status', 'images_charged', 'created_at', 'processing_ms', 'error'];
      show({ rows, columns, none: 'The account has no jobs.' });
    });
};

function describeCall(call: GeneratorCall): Fields {
  const { generator, model, upstreamId, outcome, seconds, costUsd, mayBeCharged, edgeRecall, error } =
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
    error,
  };
}

function describe(job: JobRecord, uploadUrl: string): Fields {
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
