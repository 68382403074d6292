import { setTimeout as delay } from 'node:timers/promises';
import { timed } from './load.ts';
import { watchCpu } from './rounds.ts';

const IDLE_MS = 10_000;

export interface MarginalCpu {
  tookMs: number;
  /** Milliseconds of processor time by process, without what it uses in the same time when it has nothing to do. */
  cpuMs: Record<string, number>;
  /** Processors in use when there is nothing to do. */
  idle: number;
}

/** Measures the processes while they are idle, and then while the work is done. Linux only. */
export async function marginalCpu(
  pids: Readonly<Record<string, number>>,
  work: () => Promise<unknown>,
): Promise<MarginalCpu> {
  const idling = watchCpu(pids);
  await delay(IDLE_MS);
  const idleMs = idling();
  const working = watchCpu(pids);
  const tookMs = await timed(work);
  const cpuMs = Object.fromEntries(
    Object.entries(working()).map(([name, ms]) => [name, ms - ((idleMs[name] ?? 0) * tookMs) / IDLE_MS]),
  );
  return { tookMs, cpuMs, idle: sum(idleMs) / IDLE_MS };
}

/** The processor time of all processes. */
export const sum = (cpuMs: Readonly<Record<string, number>>): number =>
  Object.values(cpuMs).reduce((total, ms) => total + ms, 0);
