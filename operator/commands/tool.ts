import { describeTools, findTool } from '../../lib/catalog/catalog.ts';
import type { Noun } from '../context.ts';
import { CommandFailed } from '../errors.ts';

export const toolNoun: Noun = (program, { deps, show }) => {
  const noun = program
    .command('tool')
    .description('switch single tools off or on; takes effect within 2 seconds');

  noun
    .command('list')
    .description('list every tool with its price at 2K')
    .action(async () => {
      const disabled = new Set(await deps.stores().settings.disabledTools());
      const rows = describeTools(deps.config().generators.orders).map(({ slug, images_cost }) => ({
        tool: slug,
        images_cost,
        enabled: !disabled.has(slug),
      }));
      show({ rows, columns: ['tool', 'images_cost', 'enabled'], none: 'There are no tools.' });
    });

  noun
    .command('disable <slug>')
    .description('answer new jobs of a tool with 400 invalid_tool; accepted jobs and replays continue')
    .action((slug: string) => set(slug, false));

  noun
    .command('enable <slug>')
    .description('accept jobs of a tool again')
    .action((slug: string) => set(slug, true));

  async function set(slug: string, enabled: boolean): Promise<void> {
    if (findTool(slug) === undefined) throw new CommandFailed(`There is no tool ${slug}. See tool list.`);
    await deps.stores().settings.setToolEnabled(slug, enabled);
    show({ fields: { tool: slug, enabled }, text: `${slug} is switched ${enabled ? 'on' : 'off'}.` });
  }
};
