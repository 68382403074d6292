import type { ReconcileCounts } from '../../lib/protocol/reconcile.ts';
import type { Batch } from '../retention/page.ts';
import type { ReconcileDeps } from './rules.ts';

/** Jobs whose calls are cancelled concurrently. */
const JOBS = 20;

export interface OpenCalls extends Batch<ReconcileCounts> {
  /**
   * Ended jobs with open calls. Only a renderer can cancel the calls: it has the keys of the
   * upstreams.
   */
  jobIds: string[];
}

/** Finds ended jobs for which an upstream may still be working. */
export async function findOpenCalls({ stores }: ReconcileDeps, after: string): Promise<OpenCalls> {
  const jobIds = await stores.generatorCalls.openOfEnded(after, JOBS);
  return { next: jobIds.length < JOBS ? null : (jobIds.at(-1) ?? null), counts: {}, jobIds };
}
