import type { Noun } from '../context.ts';
import { runSetup, SETUP_STEPS } from '../setup/steps.ts';

export const setup: Noun = (program, { deps, show }) => {
  program
    .command('setup')
    .description('prepare the servers: indexes, buckets, search attributes, schedule; idempotent')
    .action(async () => {
      await runSetup(SETUP_STEPS, deps);
      show({ fields: Object.fromEntries(SETUP_STEPS.map(({ name }) => [name, 'ready'])) });
    });
};
