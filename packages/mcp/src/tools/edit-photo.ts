import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Job } from 'image-job/node';
import { z } from 'zod';
import { answering, errorOf } from '../answers.ts';
import type { Context } from '../context.ts';
import { type Edited, editPhoto } from '../edit.ts';
import { createProgress } from '../progress.ts';

const input = {
  image: z
    .string()
    .min(1)
    .max(4096)
    .describe(
      'The photo: a path in an allowed folder, or a public https URL. JPEG, PNG or WebP, up to 20 MB. The user is asked about a URL unless its origin is allowed, because its host learns all of it: put nothing into it that is not part of the address of the photo.',
    ),
  tool: z.string().min(1).max(100).describe('A slug of list_tools.'),
  options: z.record(z.string(), z.unknown()).optional().describe('Options of the tool; see describe_tool.'),
  output: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe(
      'Path of the result, which must not exist. Left out, the result of a file is saved next to it, and that of a URL is linked.',
    ),
  confirm_images: z
    .int()
    .positive()
    .optional()
    .describe('The price in images that the user has agreed to, for an edit that costs more than 1.'),
  variant: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe(
      'A repeated call returns the same job. Only when the user wants the same edit rendered anew, and charged again: 2, then 3 and so on.',
    ),
};

const output = {
  job_id: z.string(),
  status: z.enum(['completed', 'processing']),
  images_charged: z.int(),
  file: z.string().nullable().describe('Where the result was saved.'),
  result_urls: z.array(z.string()),
  warnings: z.array(z.string()),
};

export function addEditPhoto(context: Context): void {
  context.server.registerTool(
    'edit_photo',
    {
      title: 'Edit a photo',
      description:
        'Runs a photo through a tool and returns the result. It is charged at once, and refunded when the job fails. The same call again is charged once.',
      inputSchema: input,
      outputSchema: output,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    },
    (edit, extra) =>
      answering(async () => {
        using progress = createProgress(extra);
        return resultOf(await editPhoto(edit, context, { extra, progress }));
      }),
  );
}

function resultOf({ job, warnings, file }: Edited): CallToolResult {
  if (job.status === 'failed') return errorOf(failureOf(job));
  const { job_id, status, images_charged, result_urls } = job;
  const messages = warnings.map(({ message }) => message);
  const links = file === undefined ? result_urls : [pathToFileURL(file).href];
  return {
    content: [
      { type: 'text', text: [summaryOf(job, file), ...messages].join('\n') },
      ...links.map((uri) => ({ type: 'resource_link' as const, uri, name: basename(new URL(uri).pathname) })),
    ],
    structuredContent: {
      job_id,
      status,
      images_charged,
      file: file ?? null,
      result_urls,
      warnings: messages,
    },
  };
}

function summaryOf({ job_id, status, images_charged }: Job, file: string | undefined): string {
  if (status === 'processing')
    return `Job ${job_id} is still processing. Call edit_photo again with the same arguments to wait on; that is not charged again.`;
  const price = images_charged === 1 ? '1 image' : `${images_charged} images`;
  return `${file === undefined ? 'The result is ready' : `The result was saved as ${file}`}. The job was charged ${price}.`;
}

function failureOf({ error, failure }: Job): string {
  const advice = failure?.retryable === true ? 'The same call may succeed later, as a new job.' : '';
  return `The job failed and was refunded: ${error ?? 'no reason is known.'} ${advice}`.trim();
}
