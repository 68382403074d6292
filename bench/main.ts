import { shutdownSignal } from '../runtime.ts';
import type { Bench } from './bench.ts';
import { openEnvironment } from './environment.ts';
import { benchGetJob } from './get-job.ts';
import { benchHostile } from './hostile/bench.ts';
import { benchIntake } from './intake.ts';
import { benchJobs } from './jobs.ts';
import { benchPostLarge } from './post-large.ts';
import { benchSweep } from './sweep.ts';
import { formatTable, type Row } from './table.ts';
import { benchWebhooks } from './webhooks.ts';

/**
 * Every benchmark by the name it is asked for on the command line; without a name all of them run. `hostile:GIF` runs
 * the cases whose name holds `GIF`.
 */
const BENCHES: Readonly<Record<string, Bench>> = {
  jobs: benchJobs,
  get: benchGetJob,
  intake: benchIntake,
  'post-large': benchPostLarge,
  hostile: benchHostile,
  sweep: ({ config }) => benchSweep(config.mongo),
  webhooks: ({ config }) => benchWebhooks(config.mongo),
};

const benchOf = (name: string) => name.split(':', 1)[0] ?? '';
const casesOf = (name: string) => name.slice(benchOf(name).length + 1);
const say = (line: string) => void process.stderr.write(`${line}\n`);

async function main(names: readonly string[]): Promise<void> {
  const chosen = names.length > 0 ? names : Object.keys(BENCHES);
  const unknown = chosen.map(benchOf).filter((name) => !Object.hasOwn(BENCHES, name));
  if (unknown.length > 0)
    throw new Error(
      `There is no bench ${unknown.join(', ')}. There are: ${Object.keys(BENCHES).join(', ')}.`,
    );
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
