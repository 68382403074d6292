import { z } from 'zod';
import { answering, answerOf } from '../answers.ts';
import type { Context } from '../context.ts';

export function addGetJob({ server, client }: Context): void {
  server.registerTool(
    'get_job',
    {
      title: 'Job',
      description:
        'A job of the account: its status, its results by URL, why it failed. To wait for a job, call edit_photo again with the same arguments.',
      inputSchema: { job_id: z.uuid().describe('The id that edit_photo returned.') },
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    ({ job_id }, { signal }) => answering(async () => answerOf(await client.jobs.get(job_id, { signal }))),
  );
}
