import { readFileSync } from 'node:fs';
import { readUsage } from '../../lib/imaging/processes/usage.ts';

// What processes use, read from /proc: Linux only.

const SAMPLE_MS = 20;

/** Milliseconds of processor time by process name. */
export type CpuByName = Record<string, number>;

/** @returns a function that returns the processor time of the named processes since now */
export function watchCpu(pids: Readonly<Record<string, number>>): () => CpuByName {
  const since = (before: CpuByName): CpuByName =>
    Object.fromEntries(
      Object.entries(pids).map(([name, pid]) => [name, (readUsage(pid)?.cpuMs ?? 0) - (before[name] ?? 0)]),
    );
  const before = since({});
  return () => since(before);
}

/** The processor time of all processes. */
export const totalCpu = (cpuMs: CpuByName): number =>
  Object.values(cpuMs).reduce((total, ms) => total + ms, 0);

/** Resource usage of the children of a process, including children that have ended. */
export interface TreeUsage {
  cpuMs: number;
  /** Of the largest child. */
  peakRssBytes: number;
}

/**
 * Samples the children of a process.
 * @returns a function that stops and returns their usage since now
 */
export function watchChildren(parent: number): () => TreeUsage {
  const before = new Map(childrenOf(parent).map((pid) => [pid, readUsage(pid)?.cpuMs ?? 0]));
  const cpu = new Map<number, number>();
  let peakRssBytes = 0;
  const sample = () => {
    for (const pid of childrenOf(parent)) {
      const usage = readUsage(pid);
      if (usage === undefined) continue;
      cpu.set(pid, usage.cpuMs - (before.get(pid) ?? 0));
      peakRssBytes = Math.max(peakRssBytes, usage.rssBytes);
    }
  };
  const timer = setInterval(sample, SAMPLE_MS).unref();
  return () => {
    clearInterval(timer);
    sample();
    return { cpuMs: [...cpu.values()].reduce((sum, ms) => sum + ms, 0), peakRssBytes };
  };
}

/** Pids of the children; empty for a process that has ended. */
export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
