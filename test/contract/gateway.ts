import type { JobGateway, JobRequest } from '../../api/jobs/gateway.ts';
import { taskQueues } from '../../lib/protocol/task-queues.ts';
import type { JobStore } from '../../lib/stores/job-store.ts';

/**
 * Accepts jobs in the given store without running them, so that every job stays `processing` until
 * the test ends it. `asked` has the requests.
 */
export function storingGateway(jobs: Pick<JobStore, 'accept'>): JobGateway & { asked: JobRequest[] } {
  const asked: JobRequest[] = [];
  return {
    asked,
    queues: taskQueues(''),
    accept: async (request) => {
      asked.push(request);
      return jobs.accept(request.draft);
    },
    notifyDeleted: async () => false,
    notifyCancelled: async () => {},
    check: async () => {},
  };
}
