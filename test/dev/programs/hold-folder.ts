import { Child } from '../../../dev/process/child.ts';
import { openDataFolder } from '../../../dev/process/data-folder.ts';
import { environment } from '../../../lib/process/config/config.ts';

/** Opens a data folder, starts a child that ignores SIGTERM, and prints its pid. */
const folder = await openDataFolder(process.argv[2] ?? '', () => {});
const child = new Child(
  {
    name: 'stubborn',
    command: process.execPath,
    args: ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'],
    env: environment(),
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
