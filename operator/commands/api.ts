import { YES } from '../arguments.ts';
import type { Noun } from '../context.ts';

export const apiNoun: Noun = (program, { deps, show, confirm }) => {
  const noun = program
    .command('api')
    .description('switch the whole API on or off; takes effect within 2 seconds');

  noun
    .command('status')
    .description('show whether the API is switched on, and which tools are switched off')
    .action(async () => {
      const { settings } = deps.stores();
      const [enabled, tools] = await Promise.all([settings.apiEnabled(), settings.disabledTools()]);
      show({ fields: { api_enabled: enabled, disabled_tools: tools } });
    });

  noun
    .command('enable')
    .description('answer calls again')
    .action(() => set(true));

  noun
    .command('disable')
    .description('answer every call with 404 api_disabled; running jobs continue')
    .option(...YES)
    .action(async ({ yes }: { yes?: true }) => {
      await confirm('Switch the API off? Every call gets 404 api_disabled until it is enabled again.', yes);
      await set(false);
    });

  async function set(enabled: boolean): Promise<void> {
    await deps.stores().settings.setApiEnabled(enabled);
    show({ fields: { api_enabled: enabled }, text: `The API is switched ${enabled ? 'on' : 'off'}.` });
  }
};
