import { activityInfo } from '@temporalio/activity';
import type { Acceptance, Stores } from '../stores/ports.ts';
import type { JobDraft } from '../stores/records.ts';

/**
 * The one outcome every concurrent request of a key gets. `unavailable`: it was too late to begin, and the job is
 * fenced: nothing is charged, for good.
 */
export type AcceptanceOutcome = Acceptance | { outcome: 'unavailable'; jobId: string };

export function createAcceptanceActivities({ stores }: { stores: Stores }) {
  return {
    /**
     * Charges and records the job in one transaction. Idempotent by the job id.
     * @param withinMs milliseconds from when this was asked for, by this process's own clock; an attempt that begins
     * later charges nothing, but finds what an earlier one has
     */
    async acceptJob(draft: JobDraft, withinMs: number): Promise<AcceptanceOutcome> {
      const { jobId, bodyDigest } = draft;
      const inTime = Date.now() - activityInfo().scheduledTimestampMs <= withinMs;
      const outcome = inTime ? await stores.jobs.accept(draft) : { outcome: 'unavailable' as const, jobId };
      if (outcome.outcome !== 'insufficient_credits' && outcome.outcome !== 'unavailable') return outcome;
      // A refusal is for good: an attempt still under way elsewhere must not charge after it.
      const job = await stores.jobs.fence(jobId, outcome.outcome === 'insufficient_credits');
      return job === undefined ? outcome : { outcome: 'accepted', jobId, bodyDigest };
    },
  };
}
