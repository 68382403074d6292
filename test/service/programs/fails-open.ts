import { ConfigError } from '../../../lib/process/config/config.ts';
import { runMain } from '../../../lib/process/run-main.ts';

// Fails while something is open that would keep the process running.

await runMain(async () => {
  setInterval(() => {}, 1000);
  throw new ConfigError('It fails.');
});
