import type { Noun } from '../context.ts';
import { runSetup, SETUP_STEPS, type SetupOptions } from '../setup/steps.ts';

export const setupNoun: Noun = (program, { deps, show }) => {
  program
    .command('setup')
    .description('prepare the servers: indexes, buckets, search attributes, schedules; idempotent')
    .option('--adopt <id>', 'after a restore: the installation id that MongoDB and both buckets get')
    .action(async (options: SetupOptions) => {
      await runSetup(SETUP_STEPS, deps, options);
      show({ fields: Object.fromEntries(SETUP_STEPS.map(({ name }) => [name, 'ready'])) });
    });
};
