import type { JobGateway, JobRequest } from '../../api/job-gateway.ts';
import type { JobStore } from '../../stores/ports.ts';
import { taskQueues } from '../../workflows/messages.ts';

/**
 * Accepts over the given store and runs nothing, so that every job stays `processing` until the test ends it. Keeps
 * what it was asked, to be looked at.
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
    deleted: async () => false,
  };
}
