import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts';

const GRACE_MS = 3_000;

/** Records a running child, so that a later start can stop it if this process is killed. */
export function writePidFile(folder: string, name: string, pid: number): void {
  const identity = identify(pid);
  if (!identity) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(identity));
}

export function removePidFile(folder: string, name: string): void {
  rmSync(join(folder, `${name}.json`), { force: true });
}

/** Stops the children of a killed parent, but no other process that has got such a pid. */
export async function endLeftovers(folder: string, say: (line: string) => void): Promise<void> {
  const files = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => name.endsWith('.json'));
  await Promise.all(
    files.map(async ({ name }) => {
      const identity = readIdentity(join(folder, name));
      if (identity && isAlive(identity)) {
        say(`stopping ${name.replace('.json', '')} (pid ${identity.pid}), left by an earlier start`);
        await end(identity);
      }
      rmSync(join(folder, name), { force: true });
    }),
  );
}

async function end(identity: ProcessIdentity): Promise<void> {
  signalGroup(identity.pid, 'SIGCONT');
  signalGroup(identity.pid, 'SIGTERM');
  for (const deadline = Date.now() + GRACE_MS; isAlive(identity); await delay(50)) {
    if (Date.now() > deadline) signalGroup(identity.pid, 'SIGKILL');
  }
}

/** Signals the process group of a child; a group that has ended is no error. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ESRCH') throw cause;
  }
}

/** Undefined for a file that a crash truncated. */
function readIdentity(file: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}
