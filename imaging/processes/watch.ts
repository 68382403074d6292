import { ImageProcessEnded } from './errors.ts';
import { readUsage } from './usage.ts';

export interface TaskLimits {
  cpuMs: number;
  rssBytes: number;
  /** How long the process may make no progress in processor time; even a loaded machine lets it advance. */
  stallMs: number;
}

const SAMPLE_MS = 40;
const RSS_BYTES = 1e9;
const STALL_MS = 60_000;

export const taskLimits = (megapixels: number): TaskLimits => ({
  cpuMs: 5000 + 100 * megapixels,
  rssBytes: RSS_BYTES,
  stallMs: STALL_MS,
});

/** Samples the usage of a process and calls `onExceeded`, once, when it is over a limit. */
export function watchUsage(
  pid: number,
  limits: TaskLimits,
  onExceeded: (error: ImageProcessEnded) => void,
): Disposable {
  const cpuBefore = readUsage(pid)?.cpuMs ?? 0;
  let lastProgress = { cpuMs: cpuBefore, at: performance.now() };
  const timer = setInterval(() => {
    const usage = readUsage(pid) ?? { cpuMs: cpuBefore, rssBytes: 0 };
    if (usage.cpuMs > lastProgress.cpuMs) lastProgress = { cpuMs: usage.cpuMs, at: performance.now() };
    const used = {
      cpuMs: usage.cpuMs - cpuBefore,
      rssBytes: usage.rssBytes,
      stallMs: performance.now() - lastProgress.at,
    };
    const error = excess(used, limits);
    if (error === undefined) return;
    clearInterval(timer);
    onExceeded(error);
  }, SAMPLE_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function excess(used: TaskLimits, limits: TaskLimits): ImageProcessEnded | undefined {
  if (used.rssBytes > limits.rssBytes)
    return new ImageProcessEnded(
      'memory',
      `The image took ${mb(used.rssBytes)} of memory; at most ${mb(limits.rssBytes)} are allowed.`,
    );
  if (used.cpuMs > limits.cpuMs)
    return new ImageProcessEnded(
      'time',
      `The image took ${seconds(used.cpuMs)} of processor time; at most ${seconds(limits.cpuMs)} are allowed.`,
    );
  if (used.stallMs > limits.stallMs)
    return new ImageProcessEnded(
      'time',
      `The image process made no progress for ${seconds(limits.stallMs)}.`,
    );
  return undefined;
}

const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
