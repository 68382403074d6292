import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts';

type Holder = ProcessIdentity & { token: string };
export type Lock = Disposable;

/** The live process that holds the lock, if there is one. */
export function holderOf(path: string): ProcessIdentity | undefined {
  const holder = read(path);
  return holder && isAlive(holder) ? holder : undefined;
}

/** Takes the lock, or returns undefined when a live process holds it. A dead process's lock is taken over. */
export function tryLock(path: string): Lock | undefined {
  mkdirSync(dirname(path), { recursive: true });
  const self = identify(process.pid);
  if (!self) throw new Error('This process cannot find itself in the process table');
  const mine: Holder = { ...self, token: randomUUID() };
  for (;;) {
    if (create(path, mine)) return { [Symbol.dispose]: () => release(path, mine.token) };
    const other = read(path);
    if (other && isAlive(other)) return undefined;
    if (other && !removeDead(path, other.token)) return undefined;
  }
}

/** Waits for the lock; `onWait` is called once when it is not free at once. */
export async function lock(path: string, signal: AbortSignal, onWait: () => void): Promise<Lock> {
  for (let waited = false; ; waited = true) {
    const taken = tryLock(path);
    if (taken) return taken;
    if (!waited) onWait();
    await delay(200, undefined, { signal });
  }
}

/** The file appears with its content in one step, so that nobody ever reads half of it. */
function create(path: string, holder: Holder): boolean {
  const draft = `${path}.${holder.token}`;
  writeFileSync(draft, JSON.stringify(holder));
  try {
    linkSync(draft, path);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw cause;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Removing a dead holder's lock is itself done under a lock, else two takers could remove each other's. */
function removeDead(path: string, token: string): boolean {
  const removal = tryLock(`${path}.after-${token.slice(0, 8)}`);
  if (!removal) return false;
  using _ = removal;
  release(path, token);
  return true;
}

function release(path: string, token: string): void {
  if (read(path)?.token === token) rmSync(path, { force: true });
}

function read(path: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Holder;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw cause;
  }
}
