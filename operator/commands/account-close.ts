import type { Command } from 'commander';
import { YES } from '../arguments.ts';
import type { Context } from '../context.ts';
import type { Deps } from '../deps.ts';
import { describeAccount } from '../describe.ts';
import { sentenceOf } from '../errors.ts';
import { startRetention } from '../runs.ts';

/** Jobs deleted in one transaction. */
const BATCH = 500;

export function addClose(noun: Command, context: Context): void {
  noun
    .command('close <account>')
    .description('close an account for good: revoke its keys, delete its jobs and images, keep its ledger')
    .option('--forfeit', 'give up the images that are left')
    .option(...YES)
    .action((accountId: string, options: CloseOptions) => close(context, accountId, options));
}

interface CloseOptions {
  forfeit?: true;
  yes?: true;
}

/** After an interruption the reconciler deletes the rest of the jobs. */
async function close({ deps, show, confirm }: Context, accountId: string, { forfeit, yes }: CloseOptions) {
  const { accounts } = deps.stores();
  const { name, balance } = await accounts.get(accountId);
  const question = `Close account ${accountId} (${name}) for good and delete its jobs and images?`;
  const loss = forfeit ? balance : 0;
  await confirm(loss > 0 ? `${question} Its ${loss} images are forfeited.` : question, yes);
  // The operator did not agree to give up images that were bought meanwhile.
  const forfeited = await accounts.close(accountId, loss);
  const deleted = await deleteJobs(deps, accountId);
  const account = await describeAccount(deps, await accounts.get(accountId));
  show({ fields: { ...account, forfeited, jobs_deleted: deleted }, note: await removeNow(deps) });
}

async function deleteJobs(deps: Deps, accountId: string): Promise<number> {
  const { jobs } = deps.stores();
  let deleted = 0;
  for (const status of ['completed', 'failed'] as const) {
    const next = async () => (await jobs.list(accountId, BATCH, { status })).map(({ id }) => id);
    for (let ids = await next(); ids.length > 0; ids = await next())
      deleted += (await jobs.remove(ids)).length;
  }
  return deleted;
}

/**
 * Starts the retention run, which removes the images and workflows of deleted jobs.
 * @returns what happens to them
 */
async function removeNow(deps: Deps): Promise<string> {
  try {
    const { workflowId } = await startRetention(deps.temporal(), deps.config().temporal.taskQueuePrefix);
    return `Images and workflows of its jobs are being removed by the workflow ${workflowId}.`;
  } catch (error) {
    const why = `It could not be started now: ${sentenceOf(error)}`;
    return `The daily retention run removes the images and workflows of its jobs. ${why}`;
  }
}
