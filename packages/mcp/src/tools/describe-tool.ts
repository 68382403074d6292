import type { ToolSlug } from 'image-job/node';
import { z } from 'zod';
import { answering, answerOf } from '../answers.ts';
import type { Context } from '../context.ts';

export function addDescribeTool({ server, client }: Context): void {
  server.registerTool(
    'describe_tool',
    {
      title: 'One tool',
      description: 'One tool with its options as JSON Schema: names, values, defaults.',
      inputSchema: { tool: z.string().min(1).max(100).describe('A slug of list_tools.') },
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    // Any text: the service knows the tools.
    ({ tool }, { signal }) =>
      answering(async () => answerOf(await client.tool(tool as ToolSlug, { signal }))),
  );
}
