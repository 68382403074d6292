import type { Acceptance, Stores } from '../stores/ports.ts';
import type { JobDraft } from '../stores/records.ts';

/** The one outcome every concurrent request of a key is told. `unavailable`: nothing stays charged; try again. */
export type AcceptanceOutcome = Acceptance | { outcome: 'unavailable' };

export function createAcceptanceActivities({ stores }: { stores: Stores }) {
  return {
    /**
     * Charges and records the job in one transaction. Safe to repeat.
     * @param respondBy epoch milliseconds; an acceptance that ends later is `unavailable` and has to be voided
     */
    async acceptJob(draft: JobDraft, respondBy: number): Promise<AcceptanceOutcome> {
      if (Date.now() > respondBy) return { outcome: 'unavailable' };
      const acceptance = await stores.jobs.accept(draft);
      const late = Date.now() > respondBy && acceptance.outcome === 'accepted';
      return late ? { outcome: 'unavailable' } : acceptance;
    },

    /** Undoes an acceptance nobody was told of. False: somebody was, and the job goes on. Safe to repeat. */
    voidJob: (jobId: string): Promise<boolean> => stores.jobs.void(jobId),
  };
}
