import { environment } from '../../../config.ts';
import { Child } from '../../../stack/run/child.ts';
import { openDataFolder } from '../../../stack/run/data-folder.ts';

/** Claims a data folder, runs a child that ends on no polite signal, and prints the child's pid. */
const folder = await openDataFolder(process.argv[2] ?? '', () => {});
const child = new Child(
  {
    name: 'stubborn',
    command: process.execPath,
    args: ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'],
    env: environment(''),
    probe: async () => {},
    readyWithinMs: 5_000,
    graceMs: 1_000,
  },
  {
    logFile: folder.file('log'),
    pidFolder: folder.pids,
    say: () => {},
    signal: new AbortController().signal,
  },
);
await child.start();
process.stdout.write(`${child.pid}\n`);
