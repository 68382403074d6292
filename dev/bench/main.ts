import { shutdownSignal } from '../../lib/process/process.ts';
import type { Bench } from './bench.ts';
import { benchCapacity } from './capacity.ts';
import { openEnvironment } from './environment.ts';
import { benchGetJob } from './get-job.ts';
import { benchHostile } from './hostile/bench-hostile.ts';
import { benchIntake } from './intake.ts';
import { benchJobs } from './jobs.ts';
import { benchMetrics } from './metrics.ts';
import { benchMultipart } from './multipart.ts';
import { benchPostLarge } from './post-large.ts';
import { benchRender } from './render.ts';
import { benchRetention } from './retention.ts';
import { formatTable, type Row } from './table.ts';
import { benchWaiting } from './waiting.ts';
import { benchWebhooks } from './webhooks.ts';

/**
 * The benchmarks by their name on the command line; without a name, all of them run. `hostile:PNG` runs only the cases
 * whose name contains `PNG`.
 */
const BENCHES: Readonly<Record<string, Bench>> = {
  jobs: benchJobs,
  get: benchGetJob,
  waiting: benchWaiting,
  capacity: benchCapacity,
  metrics: benchMetrics,
  intake: benchIntake,
  'post-large': benchPostLarge,
  multipart: benchMultipart,
  hostile: benchHostile,
  render: benchRender,
  retention: ({ config }) => benchRetention(config.mongo),
  webhooks: ({ config }) => benchWebhooks(config.mongo),
};

const benchOf = (name: string) => name.split(':', 1)[0] ?? '';
const casesOf = (name: string) => name.slice(benchOf(name).length + 1);
const say = (line: string) => void process.stderr.write(`${line}\n`);

async function main(names: readonly string[]): Promise<void> {
  const chosen = names.length > 0 ? names : Object.keys(BENCHES);
  const unknown = chosen.map(benchOf).filter((name) => !Object.hasOwn(BENCHES, name));
  if (unknown.length > 0)
    throw new Error(`Unknown benchmark: ${unknown.join(', ')}. Known: ${Object.keys(BENCHES).join(', ')}.`);
  const signal = shutdownSignal();
  await using environment = await openEnvironment(say, signal);
  const rows: Row[] = [];
  for (const name of chosen) {
    signal.throwIfAborted();
    say(`${name} ...`);
    rows.push(...((await BENCHES[benchOf(name)]?.(environment, casesOf(name))) ?? []));
  }
  process.stdout.write(`${formatTable(rows)}\n`);
}

await main(process.argv.slice(2));
