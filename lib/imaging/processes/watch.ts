import { countdown } from '../../process/countdown.ts';
import { ImageProcessEnded } from '../errors.ts';
import { readUsage } from './usage.ts';

export interface TaskLimits {
  cpuMs: number;
  rssBytes: number;
  /**
   * The process may make no progress in processor time for so long. Even on a loaded machine it
   * makes some.
   */
  stallMs: number;
}

const SAMPLE_MS = 40;

/** Samples the usage of a process and calls `onExceeded`, once, when it is over a limit. */
export function watchUsage(
  pid: number,
  limits: TaskLimits,
  onExceeded: (error: ImageProcessEnded) => void,
): Disposable {
  const cpuBefore = readUsage(pid)?.cpuMs ?? 0;
  const stall = countdown(limits.stallMs, () => end(stalled(limits)));
  let progress = cpuBefore;
  const timer = setInterval(() => {
    const usage = readUsage(pid) ?? { cpuMs: cpuBefore, rssBytes: 0 };
    if (usage.cpuMs > progress) stall.add(limits.stallMs, limits.stallMs);
    progress = Math.max(progress, usage.cpuMs);
    const error = excess({ cpuMs: usage.cpuMs - cpuBefore, rssBytes: usage.rssBytes }, limits);
    if (error !== undefined) end(error);
  }, SAMPLE_MS);
  function stop(): void {
    clearInterval(timer);
    stall[Symbol.dispose]();
  }
  function end(error: ImageProcessEnded): void {
    stop();
    onExceeded(error);
  }
  return { [Symbol.dispose]: stop };
}

const stalled = ({ stallMs }: TaskLimits) =>
  new ImageProcessEnded('time', `The image process made no progress for ${seconds(stallMs)}.`);

function excess(used: Omit<TaskLimits, 'stallMs'>, limits: TaskLimits): ImageProcessEnded | undefined {
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
  return undefined;
}

const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
