import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts';

type Holder = ProcessIdentity & { token: string };
export type Lock = Disposable;

/** The running process that holds the lock, if there is one. */
export function holderOf(path: string): ProcessIdentity | undefined {
  const holder = read(path);
  return holder && isAlive(holder) ? holder : undefined;
}

/**
 * Takes the lock, or returns undefined if a running process holds it. The lock of an ended process
 * is taken over.
 */
export function tryLock(path: string): Lock | undefined {
  mkdirSync(dirname(path), { recursive: true });
  const self = identify(process.pid);
  if (!self) throw new Error('This process cannot find itself in the process table');
  const holder: Holder = { ...self, token: randomUUID() };
  for (;;) {
    if (create(path, holder)) return { [Symbol.dispose]: () => release(path, holder.token) };
    const current = read(path);
    if (current && isAlive(current)) return undefined;
    if (current && !removeStale(path, current.token)) return undefined;
  }
}

/** Waits for the lock; `onWait` is called once if it has to wait. */
export async function lock(path: string, signal: AbortSignal, onWait: () => void): Promise<Lock> {
  for (let waited = false; ; waited = true) {
    const taken = tryLock(path);
    if (taken) return taken;
    if (!waited) onWait();
    await delay(200, undefined, { signal });
  }
}

/** Creates the file atomically with its content, so that it is never read half written. */
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

/**
 * Removes the lock of an ended process, under a lock of its own; otherwise two takers could remove
 * each other's.
 */
function removeStale(path: string, token: string): boolean {
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
