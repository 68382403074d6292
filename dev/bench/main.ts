import { shutdownSignal } from '../../lib/process/process.ts';
import { benchCapacity } from './capacity.ts';
import { type Bench, openEnvironment } from './environment.ts';
import { benchGet } from './get.ts';
import { benchHostile } from './hostile/bench.ts';
import { benchIntake } from './intake.ts';
import { benchJobs } from './jobs.ts';
import { benchRender } from './render.ts';
import { formatTable, type Row } from './report.ts';
import { benchWaiting } from './waiting.ts';
import { benchWebhooks } from './webhooks.ts';

const BENCHES: Readonly<Record<string, { about: string; run: Bench }>> = {
  jobs: { about: 'jobs per second and the time of a POST, against a bare workflow', run: benchJobs },
  intake: { about: 'a POST of 20 MB: time, event loop and memory of the API', run: benchIntake },
  get: { about: 'GET /v1/jobs/{id}, against a route that only does the look-ups', run: benchGet },
  render: { about: 'local renders, against plain sharp', run: benchRender },
  webhooks: { about: 'deliveries per second, against plain POSTs', run: benchWebhooks },
  waiting: { about: '1,000 requests that wait for their jobs', run: benchWaiting },
  hostile: { about: 'each hostile input, and what it costs another account', run: benchHostile },
  capacity: { about: 'what one job costs every process, for docs/capacity.md', run: benchCapacity },
};

const HELP = `npm run bench -- NAME[:TEXT] ...

Runs benchmarks. With TEXT a benchmark runs only the cases whose name contains it.

${Object.entries(BENCHES)
  .map(([name, { about }]) => `  ${name.padEnd(10)}${about}`)
  .join('\n')}
`;

const say = (line: string) => void process.stderr.write(`${line}\n`);

async function main(chosen: readonly string[]): Promise<void> {
  if (chosen.length === 0) return void process.stdout.write(HELP);
  const runs = chosen.map((each) => {
    const [name = '', ...only] = each.split(':');
    return { name, only: only.join(':'), bench: Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined };
  });
  const unknown = runs.filter(({ bench }) => bench === undefined).map(({ name }) => name);
  if (unknown.length > 0) {
    say(`Unknown benchmark: ${unknown.join(', ')}.\n\n${HELP}`);
    process.exitCode = 2;
    return;
  }
  const signal = shutdownSignal();
  await using environment = await openEnvironment(say, signal);
  const rows: Row[] = [];
  for (const { name, only, bench } of runs) {
    signal.throwIfAborted();
    say(`${name} ...`);
    rows.push(...((await bench?.run(environment, only)) ?? []));
  }
  process.stdout.write(`${formatTable(rows)}\n`);
}

await main(process.argv.slice(2));
