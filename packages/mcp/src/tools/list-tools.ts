import { answering, answerOf } from '../answers.ts';
import type { Context } from '../context.ts';

export function addListTools({ server, client }: Context): void {
  server.registerTool(
    'list_tools',
    {
      title: 'Tools',
      description:
        'All tools that edit photos: slug, title, what each does, its price in images at 2K (4K costs twice that). A preview_only tool returns the photo with a caption.',
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    ({ signal }) =>
      answering(async () => {
        const tools = await client.toolsWithOptions({ signal });
        // The options of all tools together would fill an assistant's context.
        return answerOf({ tools: tools.map(({ options: _, ...tool }) => tool) });
      }),
  );
}
