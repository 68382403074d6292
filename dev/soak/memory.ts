import { readUsage } from '../../lib/imaging/processes/usage.ts';
import { median, type Row } from '../bench/table.ts';

const SAMPLE_MS = 2000;
/** Share of the time that is not judged: caches and compiled code are still growing. */
const WARM_UP = 0.2;
const MOST_GROWTH = 1.15;
const MB = 1024 * 1024;

/** Samples the resident memory of processes. Linux only. @returns a function that stops and compares the halves */
export function watchMemory(pids: Readonly<Record<string, number>>): () => Row[] {
  const samples = new Map<string, number[]>(Object.keys(pids).map((name) => [name, []]));
  const timer = setInterval(() => {
    for (const [name, pid] of Object.entries(pids))
      samples.get(name)?.push((readUsage(pid)?.rssBytes ?? 0) / MB);
  }, SAMPLE_MS);
  return () => {
    clearInterval(timer);
    return [...samples].map(([name, values]) => growth(name, values));
  };
}

function growth(name: string, values: readonly number[]): Row {
  const judged = values.slice(Math.floor(values.length * WARM_UP));
  const half = Math.ceil(judged.length / 2);
  const [baseline, value] = [median(judged.slice(0, half)), median(judged.slice(half))];
  const what = `${name}: resident memory, second half of the time (baseline: first half)`;
  return { what, value, unit: 'MB', baseline, ratio: value / baseline, goal: { atMost: MOST_GROWTH } };
}
