import { environment, loadConfig } from '../config.ts';
import { endWithin } from '../runtime/process.ts';
import { openDeps } from './deps.ts';
import { run } from './run.ts';

const CLOSING_MS = 5000;

await using deps = openDeps(() => loadConfig(environment()));
process.exitCode = await run(process.argv.slice(2), deps, process);
endWithin(CLOSING_MS);
