import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Resource usage of a process during a piece of work. */
export interface ProcessUsage {
  longestBlockMs: number;
  /** Peak RSS minus the RSS before, sampled every few milliseconds. */
  extraRssBytes: number;
  cpuMs: number;
}

const SAMPLE_MS = 5;
const RESOLUTION_MS = 1;

// Loaded before one of the project's entry points, in the same process. The parent sends `begin`
// and `end` around the work, and gets a message back for each.

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
let rss = { before: 0, peak: 0 };
let cpu = process.cpuUsage();
let sampler: NodeJS.Timeout | undefined;
const sample = () => {
  rss.peak = Math.max(rss.peak, process.memoryUsage.rss());
};

function begin(): void {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  rss = { before, peak: before };
  cpu = process.cpuUsage();
  sampler = setInterval(sample, SAMPLE_MS);
  delay.reset();
  delay.enable();
}

function end(): ProcessUsage {
  sample();
  clearInterval(sampler);
  delay.disable();
  const { user, system } = process.cpuUsage(cpu);
  return {
    // The histogram includes its own timer interval: one resolution step.
    longestBlockMs: delay.max / 1e6 - RESOLUTION_MS,
    extraRssBytes: rss.peak - rss.before,
    cpuMs: (user + system) / 1000,
  };
}

process.on('message', (request) => {
  if (request === 'begin') begin();
  process.send?.(request === 'begin' ? 'begun' : end());
});
// The channel must not keep the process alive, and the process must not outlive the bench.
process.channel?.unref();
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));

await import(process.argv[2] ?? '');
