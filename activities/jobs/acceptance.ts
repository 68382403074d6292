import { activityInfo } from '@temporalio/activity';
import type { Acceptance, JobDraft } from '../../lib/domain/records.ts';
import type { Stores } from '../../lib/stores/stores.ts';

export function createAcceptanceActivities({ stores }: { stores: Stores }) {
  return {
    /**
     * Charges and records the job in one transaction. Idempotent by the job id.
     * @param withinMs milliseconds from the scheduling of this local activity, by this process's
     * clock. An attempt that starts later charges nothing. It returns the job if an earlier attempt
     * has accepted it
     */
    async acceptJob(draft: JobDraft, withinMs: number): Promise<Acceptance> {
      const { jobId, bodyDigest } = draft;
      const inTime = Date.now() - activityInfo().scheduledTimestampMs <= withinMs;
      const outcome = inTime ? await stores.jobs.accept(draft) : { outcome: 'unavailable' as const, jobId };
      if (outcome.outcome !== 'insufficient_credits' && outcome.outcome !== 'unavailable') return outcome;
      // Makes the refusal final: an attempt still running in another process must not charge
      // afterwards.
      const job = await stores.jobs.fence(jobId, outcome.outcome === 'insufficient_credits');
      return job === undefined ? outcome : { outcome: 'accepted', jobId, bodyDigest };
    },
  };
}
