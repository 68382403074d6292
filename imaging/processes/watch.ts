import { ImageProcessEnded } from './errors.ts';
import { readUsage } from './usage.ts';

/** What one task may take. The clock is a backstop for a child that waits instead of working. */
export interface TaskLimits {
  cpuMs: number;
  rssBytes: number;
  wallMs: number;
}

const SAMPLE_MS = 40;
const RSS_BYTES = 1e9;

/** What an image of so many megapixels may take. The clock allows for a machine on which many others work as well. */
export function taskLimits(megapixels: number): TaskLimits {
  const cpuMs = 5000 + 100 * megapixels;
  return { cpuMs, rssBytes: RSS_BYTES, wallMs: 10_000 + 10 * cpuMs };
}

/** Looks at a process every few milliseconds and calls `exceed` once, when it has taken more than it may. */
export function watchUsage(
  pid: number,
  limits: TaskLimits,
  exceed: (why: ImageProcessEnded) => void,
): Disposable {
  const cpuBefore = readUsage(pid)?.cpuMs ?? 0;
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const usage = readUsage(pid) ?? { cpuMs: 0, rssBytes: 0 };
    const taken = {
      cpuMs: usage.cpuMs - cpuBefore,
      rssBytes: usage.rssBytes,
      wallMs: performance.now() - startedAt,
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
  if (taken.wallMs > limits.wallMs)
    return new ImageProcessEnded('time', `The image was not done within ${seconds(limits.wallMs)}.`);
  return undefined;
}

const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
