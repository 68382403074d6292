import { answering, answerOf } from '../answers.ts';
import type { Context } from '../context.ts';

export function addAccount({ server, client }: Context): void {
  server.registerTool(
    'account',
    {
      title: 'Account',
      description: 'The account behind the API key, with the images left in its balance (image_credits).',
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    ({ signal }) => answering(async () => answerOf(await client.account({ signal }))),
  );
}
