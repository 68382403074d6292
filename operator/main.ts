import { loadConfig } from '../lib/process/config/config.ts';
import { endWithin } from '../lib/process/process.ts';
import { runMain } from '../lib/process/run-main.ts';
import { openDeps } from './deps.ts';
import { commandEnvironment } from './environment.ts';
import { runOperator } from './run.ts';

const CLOSING_MS = 5000;

// Libraries print warnings, such as the AWS SDK about the version of Node. They are not output of a
// command.
process.removeAllListeners('warning');

await runMain(async () => {
  await using deps = openDeps(() => loadConfig(commandEnvironment()));
  process.exitCode = await runOperator(process.argv.slice(2), deps, process);
  endWithin(CLOSING_MS);
});
