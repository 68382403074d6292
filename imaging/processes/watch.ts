import { ImageProcessEnded } from './errors.ts';
import { readUsage } from './usage.ts';

/** What one task may take. */
export interface TaskLimits {
  cpuMs: number;
  rssBytes: number;
  /** How long it may stand still; a machine under load lets every task advance, however slowly. */
  stallMs: number;
}

const SAMPLE_MS = 40;
const RSS_BYTES = 1e9;

const STALL_MS = 60_000;

/** What an image of so many megapixels may take. */
export const taskLimits = (megapixels: number): TaskLimits => ({
  cpuMs: 5000 + 100 * megapixels,
  rssBytes: RSS_BYTES,
  stallMs: STALL_MS,
});

/** Looks at a process every few milliseconds and calls `exceed` once, when it has taken more than it may. */
export function watchUsage(
  pid: number,
  limits: TaskLimits,
  exceed: (why: ImageProcessEnded) => void,
): Disposable {
  const cpuBefore = readUsage(pid)?.cpuMs ?? 0;
  let advanced = { cpuMs: cpuBefore, at: performance.now() };
  const timer = setInterval(() => {
    const usage = readUsage(pid) ?? { cpuMs: cpuBefore, rssBytes: 0 };
    if (usage.cpuMs > advanced.cpuMs) advanced = { cpuMs: usage.cpuMs, at: performance.now() };
    const taken = {
      cpuMs: usage.cpuMs - cpuBefore,
      rssBytes: usage.rssBytes,
      stallMs: performance.now() - advanced.at,
    };
    const why = excess(taken, limits);
    if (why === undefined) return;
    clearInterval(timer);
    exceed(why);
  }, SAMPLE_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function excess(taken: TaskLimits, limits: TaskLimits): ImageProcessEnded | undefined {
  if (taken.rssBytes > limits.rssBytes)
    return new ImageProcessEnded(
      'memory',
      `The image took ${mb(taken.rssBytes)} of at most ${mb(limits.rssBytes)}.`,
    );
  if (taken.cpuMs > limits.cpuMs)
    return new ImageProcessEnded(
      'time',
      `The image took ${seconds(taken.cpuMs)} of processor time, at most ${seconds(limits.cpuMs)} are allowed.`,
    );
  if (taken.stallMs > limits.stallMs)
    return new ImageProcessEnded('time', `The image stood still for ${seconds(limits.stallMs)}.`);
  return undefined;
}

const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
