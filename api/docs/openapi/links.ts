import type { OpenAPIV3_1 } from 'openapi-types';

const link = (operationId: string, description: string, id: string): OpenAPIV3_1.LinkObject => ({
  operationId,
  description,
  parameters: { id },
});

const ANSWERED = '$response.body#/job_id';

/** OpenAPI links to the next operations on the job of a response, by operation and status. */
export const LINKS: Record<string, Record<string, Record<string, OpenAPIV3_1.LinkObject>>> = {
  createJob: {
    201: {
      cancelJob: link('cancelJob', 'Cancel the job while no generator renders it.', ANSWERED),
      readJob: link('getJob', 'Poll the job until it has ended.', ANSWERED),
      followJob: link('streamJobEvents', 'Be told when the job has ended.', ANSWERED),
      deleteJob: link('deleteJob', 'Delete the job after it has ended.', ANSWERED),
    },
  },
  getJob: {
    200: { deleteJob: link('deleteJob', 'Delete the job after it has ended.', ANSWERED) },
  },
};
