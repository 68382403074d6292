import type { Link } from './types.ts';

const link = (operationId: string, description: string, id: string): Link => ({
  operationId,
  description,
  parameters: { id },
});

const ANSWERED = '$response.body#/job_id';

/** What can be done next with the job of an answer, by operation and status. */
export const LINKS: Record<string, Record<string, Record<string, Link>>> = {
  createJob: {
    201: {
      readJob: link('getJob', 'Poll the job until it has ended.', ANSWERED),
      deleteJob: link('deleteJob', 'Delete the job when it has ended.', ANSWERED),
    },
  },
  getJob: {
    200: { deleteJob: link('deleteJob', 'Delete the job when it has ended.', ANSWERED) },
  },
};
