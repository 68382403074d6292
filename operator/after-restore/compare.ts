import type { ObjectRef } from '../../lib/domain/records.ts';
import type { Context } from '../context.ts';
import type { Deps } from '../deps.ts';
import { CommandFailed } from '../errors.ts';
import type { Fields } from '../output.ts';
import { compareJob, type JobFinding } from './compare-jobs.ts';
import { comparePack, type PackFinding, readPurchases } from './compare-packs.ts';
import { jobRuns, type UnreadRun } from './job-runs.ts';

const UNCHANGED = 'Nothing was changed. Add --apply to repair the findings that have no reason.';

export interface CompareOptions {
  /** Time of the backup that was restored. */
  since?: Date;
  /** File with the paid packs, see readPurchases. */
  references?: string;
  /** Ids of jobs to leave as they are. */
  except?: ReadonlySet<string>;
  /** Whether to repair what can be repaired. */
  apply?: boolean;
}

/**
 * Compares MongoDB, restored from a backup, with Temporal, S3 and the list of paid packs, and shows
 * the differences.
 * @throws CommandFailed with `apply`, when something is left to do
 */
export async function compareAfterRestore({ deps, show }: Context, options: CompareOptions): Promise<void> {
  const { since, apply = false } = options;
  if (since === undefined) throw new CommandFailed('Give --since and the time of the backup.');
  // Packs come first, because the jobs are charged to these balances.
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
  if (apply && leftToDo > 0)
    throw new CommandFailed(`${leftToDo} findings are left to do: see their reasons.`);
}

async function findPacks(deps: Deps, { references, apply = false }: CompareOptions) {
  const findings = createFindings<PackFinding>();
  let leftToDo = 0;
  if (references === undefined) return { findings, leftToDo };
  // Reads the list to its end first, so that a bad line ends the command before anything is
  // changed.
  for await (const _ of readPurchases(references));
  for await (const purchase of readPurchases(references)) {
    const pack = await comparePack(deps.stores(), purchase, apply);
    if (pack === undefined) continue;
    findings.add(pack);
    if (!pack.done) leftToDo += 1;
  }
  return { findings, leftToDo };
}

async function findJobs(deps: Deps, since: Date, { apply = false, except = new Set() }: CompareOptions) {
  const { taskQueuePrefix } = deps.config().temporal;
  const client = deps.temporal();
  const jobDeps = { client, stores: deps.stores(), images: deps.images(), apply, except };
  const findings = createFindings<Fields>();
  let [workflows, leftToDo] = [0, 0];
  for await (const page of jobRuns(client, taskQueuePrefix, since)) {
    workflows += page.length;
    // One at a time, because charges of one account conflict.
    for (const run of page) {
      const lost = 'problem' in run ? run : await compareJob(jobDeps, run);
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

/** Findings of a kind that are kept to be shown. */
const SHOWN = 1000;

/**
 * Counts the findings, and keeps the first {@link SHOWN}: a report of years must fit the memory.
 */
function createFindings<T>() {
  const shown: T[] = [];
  let count = 0;
  return {
    shown,
    add(finding: T): void {
      count += 1;
      if (shown.length < SHOWN) shown.push(finding);
    },
    get count() {
      return count;
    },
  };
}

/** Objects per page. */
const PAGE = 1000;

/**
 * Keys of results written since then that belong to no job. Before a repair, they include the
 * results of lost jobs.
 */
async function* findOrphanedResults(
  deps: Pick<Deps, 'images' | 'stores'>,
  since: Date,
): AsyncGenerator<string> {
  // S3 knows the time of an object to the second.
  const second = Math.floor(since.getTime() / 1000) * 1000;
  let after: string | undefined;
  do {
    const { found, next } = await deps.images().list('results', after, PAGE);
    const written = found.filter(({ lastModified }) => lastModified.getTime() >= second);
    const refs = written.map(({ key }): ObjectRef => ({ bucket: 'results', key }));
    for (const { key } of await deps.stores().retention.unowned(refs)) yield key;
    after = next;
  } while (after !== undefined);
}
