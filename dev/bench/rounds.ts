import { readUsage } from '../../lib/imaging/processes/usage.ts';
import { countClosed, untilClosed } from './closed.ts';
import type { BenchEnvironment } from './environment.ts';
import { closedLoop, timed } from './load.ts';

/** Calls until V8 has optimised the code, as in a service that has been running for a while. */
const WARM_UP = 1500;
const ONE_BY_ONE = 40;
const PER_ROUND = 200;
export const AT_ONCE = 32;

/** One of the subjects of a comparison. */
export interface Subject {
  accept: () => Promise<unknown>;
  /** The task queue of its workflows, if it has any. */
  queue?: string;
  /** Its processes; the servers are measured as well. */
  pids: Readonly<Record<string, number>>;
}

/** Milliseconds of processor time by process name. */
type CpuByName = Record<string, number>;

export interface Measured {
  perSecond: number;
  /** Milliseconds of each call, one at a time. */
  alone: number[];
  /** Milliseconds of each call, {@link AT_ONCE} at a time. */
  together: number[];
  /** Processor time per call, including the work it triggers. */
  cpuMs: CpuByName;
}

export async function warmUp(environment: BenchEnvironment, subject: Subject): Promise<void> {
  await untilDone(environment, subject, WARM_UP, AT_ONCE);
}

export async function measure(environment: BenchEnvironment, subject: Subject): Promise<Measured> {
  const alone = await untilDone(environment, subject, ONE_BY_ONE, 1);
  const cpuSoFar = watchCpu({ ...environment.serverPids, ...subject.pids });
  let together: number[] = [];
  const tookMs = await timed(async () => {
    together = await untilDone(environment, subject, PER_ROUND, AT_ONCE);
  });
  const cpuMs = Object.fromEntries(Object.entries(cpuSoFar()).map(([name, ms]) => [name, ms / PER_ROUND]));
  return { perSecond: PER_ROUND / (tookMs / 1000), alone, together, cpuMs };
}

/** Calls `count` times and waits for the workflows. @returns the milliseconds of each call */
export async function untilDone(
  { temporal }: BenchEnvironment,
  { accept, queue }: Subject,
  count: number,
  atOnce: number,
  pollMs?: number,
): Promise<number[]> {
  const before = queue === undefined ? 0 : await countClosed(temporal, queue);
  const took = await closedLoop(count, atOnce, accept);
  if (queue !== undefined) await untilClosed(temporal, queue, before + count, pollMs);
  return took;
}

/**
 * Measures the processor time of the named processes from now on, from /proc. Linux only.
 * @returns a function that returns the time so far
 */
export function watchCpu(pids: Readonly<Record<string, number>>): () => CpuByName {
  const since = (before: CpuByName): CpuByName =>
    Object.fromEntries(
      Object.entries(pids).map(([name, pid]) => [name, (readUsage(pid)?.cpuMs ?? 0) - (before[name] ?? 0)]),
    );
  const before = since({});
  return () => since(before);
}
