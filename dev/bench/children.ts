import { readFileSync } from 'node:fs';
import { readUsage } from '../../lib/imaging/processes/usage.ts';

/** Resource usage of the children of a process, including those that ended meanwhile. */
export interface TreeUsage {
  cpuMs: number;
  /** Of the largest child. */
  peakRssBytes: number;
}

const SAMPLE_MS = 20;

/** Samples the children of a process from /proc. Linux only. @returns a function that stops and returns the usage */
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
  sample();
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
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return [];
  }
}
