import { ConfigError } from '../../../config.ts';
import { runMain } from '../../../runtime/run-main.ts';

// Fails while something is open that would keep the process running.

await runMain(async () => {
  setInterval(() => {}, 1000);
  throw new ConfigError('It fails.');
});
