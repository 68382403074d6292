import { sinceArgument } from '../arguments.ts';
import type { Context, Noun } from '../context.ts';
import type { Deps } from '../deps.ts';
import { Failure } from '../failure.ts';
import type { Fields } from '../output.ts';
import { createFindings } from '../reconcile/findings.ts';
import { jobRuns, type UnreadRun } from '../reconcile/job-runs.ts';
import { findLostJob, type JobFinding } from '../reconcile/lost-jobs.ts';
import { findOrphanedResults } from '../reconcile/orphaned-results.ts';
import { findLostPack, type LostPack, readPurchases } from '../reconcile/purchases.ts';

const UNCHANGED = 'Nothing was changed. Add --apply to repair the findings that have no reason.';

interface Options {
  since?: Date;
  references?: string;
  except?: ReadonlySet<string>;
  apply?: boolean;
}

/** `reconcile --since`, beside the verbs that the noun may have. */
export const reconcileSince: Noun = (program, context) => {
  const noun =
    program.commands.find((command) => command.name() === 'reconcile') ??
    program.command('reconcile').description('compare MongoDB with Temporal and S3, and repair it');
  noun
    .option(
      '--since <time>',
      'after a restore of MongoDB: find what it lacks since its backup',
      sinceArgument,
    )
    .option('--references <file>', 'CSV of paid packs: account (id or reference), images, reference')
    .option('--except <jobs>', 'ids of jobs to leave as they are, with commas between them', idsArgument)
    .option('--apply', 'repair what can be repaired; ends with 1 when something is left to do')
    .action((options: Options) => reconcile(context, options));
};

const idsArgument = (text: string): ReadonlySet<string> => new Set(text.split(',').map((id) => id.trim()));

async function reconcile({ deps, show }: Context, options: Options): Promise<void> {
  const { since, apply = false } = options;
  if (since === undefined) throw new Failure('Give --since and the time of the backup.');
  // First, because the jobs are charged to these balances.
  const packs = await findPacks(deps, options);
  const jobs = await findJobs(deps, since, options);
  const orphans = createFindings<Fields>();
  for await (const key of findOrphanedResults(deps, since)) orphans.add({ key });
  const leftToDo = packs.leftToDo + jobs.leftToDo;
  show({
    fields: {
      since,
      applied: apply,
      workflows: jobs.workflows,
      lost_packs: packs.findings.count,
      lost_jobs: jobs.findings.count,
      orphaned_results: orphans.count,
      left_to_do: leftToDo,
      packs: packs.findings.shown,
      jobs: jobs.findings.shown,
      orphans: orphans.shown,
    },
    ...(apply || leftToDo === 0 ? {} : { note: UNCHANGED }),
  });
  if (apply && leftToDo > 0) throw new Failure(`${leftToDo} findings are left to do: see their reasons.`);
}

async function findPacks(deps: Deps, { references, apply = false }: Options) {
  const findings = createFindings<LostPack>();
  let leftToDo = 0;
  if (references === undefined) return { findings, leftToDo };
  // Read to its end first: a line that cannot be read ends the command before anything is changed.
  for await (const _ of readPurchases(references));
  for await (const purchase of readPurchases(references)) {
    const pack = await findLostPack(deps.stores(), purchase, apply);
    if (pack === undefined) continue;
    findings.add(pack);
    if (!pack.done) leftToDo += 1;
  }
  return { findings, leftToDo };
}

async function findJobs(deps: Deps, since: Date, { apply = false, except = new Set() }: Options) {
  const { taskQueuePrefix } = deps.config().temporal;
  const client = deps.temporal();
  const jobDeps = { client, stores: deps.stores(), images: deps.images(), apply, except };
  const findings = createFindings<Fields>();
  let [workflows, leftToDo] = [0, 0];
  for await (const page of jobRuns(client, taskQueuePrefix, since)) {
    workflows += page.length;
    // One at a time, because charges of one account conflict.
    for (const run of page) {
      const lost = 'problem' in run ? run : await findLostJob(jobDeps, run);
      if (lost === undefined) continue;
      findings.add(describe(lost));
      if ('problem' in lost || lost.open) leftToDo += 1;
    }
  }
  return { workflows, findings, leftToDo };
}

function describe(lost: JobFinding | UnreadRun): Fields {
  if ('problem' in lost)
    return { workflow_id: lost.workflowId, repair: 'none', done: false, reason: lost.problem };
  const { jobId, accountId, tool, imagesCharged, workflowId } = lost.run.draft;
  return {
    job_id: jobId,
    account_id: accountId,
    tool,
    images_charged: imagesCharged,
    created_at: lost.run.createdAt,
    repair: lost.repair,
    done: lost.done,
    reason: lost.reason,
    workflow_id: workflowId,
  };
}
