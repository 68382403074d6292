import type { Noun } from '../context.ts';

export const api: Noun = (program, { deps, show }) => {
  const noun = program
    .command('api')
    .description('switch the whole API on or off; takes effect within 2 seconds');

  noun
    .command('enable')
    .description('answer calls again')
    .action(() => set(true));

  noun
    .command('disable')
    .description('answer every call with 404 api_disabled; running jobs continue')
    .action(() => set(false));

  async function set(enabled: boolean): Promise<void> {
    await deps.stores().settings.setApiEnabled(enabled);
    show({ fields: { api_enabled: enabled }, text: `The API is switched ${enabled ? 'on' : 'off'}.` });
  }
};
