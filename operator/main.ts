import { environment, loadConfig } from '../config.ts';
import { openDeps } from './deps.ts';
import { run } from './run.ts';

await using deps = openDeps(() => loadConfig(environment()));
process.exitCode = await run(process.argv.slice(2), deps, process);
