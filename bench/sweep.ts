import { randomUUID } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { createSweepActivities } from '../activities/sweep.ts';
import { type Config, environment, loadConfig } from '../config.ts';
import { startServers } from '../stack/servers.ts';
import { type Mongo, openMongo } from '../stores/mongo/client.ts';
import { collections, createIndexes, type JobDocument } from '../stores/mongo/documents.ts';
import { createMongoStores } from '../stores/mongo/stores.ts';
import { createFakeImageStore } from '../test/fakes/images.ts';
import { formatTable, type Row } from './table.ts';

const DAY_MS = 24 * 3_600_000;
const RETENTION_DAYS = 30;
const SEED_BATCH = 5000;
const ROUNDS = 2;
/** Of one job: its input and its result. */
const IMAGES = 2;

interface Sizes {
  /** Jobs in the collection: the ratio compares the larger to the smaller. */
  smaller: number;
  larger: number;
  /** How many of them are due, whatever the size. */
  due: number;
}

/** What the sweep pays for a deleted job, in MongoDB, as the collection grows (issue: flat from 10,000 to 200,000). */
export async function benchSweep(
  config: Config['mongo'],
  { smaller, larger, due }: Sizes = { smaller: 10_000, larger: 200_000, due: 5000 },
): Promise<Row[]> {
  const costs: { small: number; large: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    costs.push({
      small: await costPerJob(config, smaller, due),
      large: await costPerJob(config, larger, due),
    });
  const baseline = Math.min(...costs.map(({ small }) => small));
  const value = Math.min(...costs.map(({ large }) => large));
  return [
    { what: `sweep of ${due} due jobs among ${smaller}`, value: baseline, unit: 'ms/job' },
    {
      what: `sweep of ${due} due jobs among ${larger}`,
      value,
      unit: 'ms/job',
      baseline,
      ratio: value / baseline,
      goal: { atMost: 1.3 },
    },
  ];
}

async function costPerJob(config: Config['mongo'], size: number, due: number): Promise<number> {
  await using mongo = openMongo({ ...config, database: `bench_sweep_${randomUUID().slice(0, 8)}` });
  try {
    await createIndexes(mongo.db);
    await seed(mongo, size, due);
    // What the seeding left to write would be paid for by the sweep.
    await mongo.db.admin().command({ fsync: 1 });
    const sweep = createSweepActivities({
      stores: createMongoStores(mongo),
      images: createFakeImageStore(),
      workflows: { isOpen: async () => true, forget: async () => true },
    });
    const deleting = await runStep(sweep.deleteExpiredJobs, ({ deleted = 0 }) => deleted);
    const removing = await runStep(sweep.removeOwedImages, ({ removed = 0 }) => removed);
    if (deleting.total !== due || removing.total !== IMAGES * due)
      throw new Error(`${deleting.total} jobs and ${removing.total} images went instead of those of ${due}.`);
    return deleting.msEach + IMAGES * removing.msEach;
  } finally {
    await mongo.db.dropDatabase();
  }
}

type Step = ReturnType<typeof createSweepActivities>['deleteExpiredJobs'];
type Counts = Awaited<ReturnType<Step>>['counts'];

/**
 * Piece after piece, as the workflow does it. `msEach` is what one of the counted things costs in the
 * piece least disturbed by whatever else the machine does: growth with the collection would show there as well.
 */
async function runStep(step: Step, count: (counts: Counts) => number) {
  const costs: number[] = [];
  let total = 0;
  for (let after: string | null = ''; after !== null; ) {
    const startedAt = performance.now();
    const { next, counts } = await step(after);
    const counted = count(counts);
    if (counted > 0) costs.push((performance.now() - startedAt) / counted);
    total += counted;
    after = next;
  }
  return { total, msEach: Math.min(...costs) };
}

/** Completed jobs of one key with retention_days, the first `due` of them past it. */
async function seed(mongo: Mongo, size: number, due: number): Promise<void> {
  const stores = createMongoStores(mongo);
  const { id: accountId } = await stores.accounts.create({
    name: 'Bench',
    webhookUrl: null,
    webhookSecret: '',
  });
  const { key } = await stores.keys.create({
    accountId,
    name: 'Bench',
    digest: randomUUID(),
    hint: '',
    retentionDays: RETENTION_DAYS,
  });
  const { jobs } = collections(mongo.db);
  for (let start = 0; start < size; start += SEED_BATCH) {
    const count = Math.min(SEED_BATCH, size - start);
    const documents = Array.from({ length: count }, (_, n) =>
      completedJob(accountId, key.id, start + n < due ? 2 * RETENTION_DAYS : 1),
    );
    await jobs.insertMany(documents, { ordered: false, writeConcern: { w: 1 } });
  }
}

function completedJob(accountId: string, keyId: string, ageDays: number): JobDocument {
  const id = randomUUID();
  const createdAt = new Date(Date.now() - ageDays * DAY_MS);
  return {
    _id: id,
    accountId,
    keyId,
    tool: 'declutter',
    status: 'completed',
    imagesCharged: 1,
    options: { resolution: '2K' },
    warnings: [],
    webhookUrl: null,
    workflowId: `job:${id}`,
    inputs: [{ bucket: 'inputs', key: `${accountId}/${id}.jpeg` }],
    results: [{ bucket: 'results', key: `${accountId}/${id}-edited.jpeg` }],
    error: null,
    createdAt,
    completedAt: createdAt,
    processingMs: 1000,
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const controller = new AbortController();
  await using servers = await startServers({
    dataDir: '.stack/bench',
    ephemeral: true,
    ui: false,
    say: (line) => void process.stderr.write(`${line}\n`),
    signal: controller.signal,
    env: environment(''),
  });
  const rows = await benchSweep(loadConfig({ ...servers.env }).mongo);
  process.stdout.write(`${formatTable(rows)}\n`);
}
