import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What a piece of work took of a process. */
export interface Usage {
  longestBlockMs: number;
  /** Above what it held before; the peak of samples every few milliseconds. */
  extraRssBytes: number;
  cpuMs: number;
}

const SAMPLE_MS = 5;
const RESOLUTION_MS = 1;

/** `begin` and `end` of the parent frame what is looked at. */
function install(): void {
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

  function end(): Usage {
    sample();
    clearInterval(sampler);
    delay.disable();
    const { user, system } = process.cpuUsage(cpu);
    return {
      // The histogram counts the wait it asks for too: one resolution step.
      longestBlockMs: delay.max / 1e6 - RESOLUTION_MS,
      extraRssBytes: rss.peak - rss.before,
      cpuMs: (user + system) / 1000,
    };
  }

  process.on('message', (question) => {
    if (question === 'begin') begin();
    process.send?.(question === 'begin' ? 'begun' : end());
  });
  // A process that is done must be able to end.
  process.channel?.unref();
}

install();
// The module to be measured: one of the project's entry points, as it runs in production.
await import(process.argv[2] ?? '');
