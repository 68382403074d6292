import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { setTimeout as delay } from 'node:timers/promises';

/** Returns descriptions of what the tests of a file have left behind, or nothing. */
export type LeakCheck = () => string[] | Promise<string[]>;

/** What is closed at the end of a file may take a moment to go. */
const GRACE_MS = 5_000;

const checks = new Set<LeakCheck>();

/** Makes this check after the tests of the file. @returns cancels it */
export function checkAfterFile(check: LeakCheck): () => void {
  checks.add(check);
  return () => void checks.delete(check);
}

/** Forgets the checks of the file before, which ran in this process too. */
export function forgetChecks(): void {
  checks.clear();
}

/** Waits until nothing is left behind. @returns what still is when the time is up */
export async function leaksOfFile(graceMs = GRACE_MS): Promise<string[]> {
  const deadline = Date.now() + graceMs;
  for (;;) {
    const leaks = (await Promise.all([...checks].map(async (check) => check()))).flat();
    if (leaks.length === 0 || Date.now() > deadline) return leaks;
    await delay(50);
  }
}

/** Node's names of what keeps a process running. */
const NAMES: Record<string, string> = {
  PipeWrap: 'pipe',
  ProcessWrap: 'child process',
  TCPServerWrap: 'server',
  TCPSocketWrap: 'connection',
  Timeout: 'timer',
};

/** Finds what is opened from now on and keeps this process running: servers, connections, children, timers. */
export function watchHandles(): LeakCheck {
  const before = countHandles();
  const older = spawned.length;
  return () =>
    [...countHandles()].flatMap(([type, count]) => {
      const more = count - (before.get(type) ?? 0);
      if (more <= 0) return [];
      const names = type === 'ProcessWrap' ? runningCommands(spawned.slice(older)) : '';
      return [`${more} × ${NAMES[type] ?? type}${names}`];
    });
}

/** The children of this process. */
const spawned: ChildProcess[] = [];
subscribe('child_process', (message) => {
  spawned.push((message as { process: ChildProcess }).process);
});

function countHandles(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo()) counts.set(type, (counts.get(type) ?? 0) + 1);
  return counts;
}

/** The commands of the children that are running. */
function runningCommands(children: readonly ChildProcess[]): string {
  const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  return ` (${running.map(({ pid, spawnargs }) => `${pid}: ${spawnargs.join(' ')}`).join(', ')})`;
}
