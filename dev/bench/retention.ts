import { randomUUID } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { createRetentionActivities } from '../../activities/retention/steps.ts';
import { markOf } from '../../lib/domain/installation.ts';
import { type Config, environment, loadConfig } from '../../lib/process/config/config.ts';
import { jobWorkflowId } from '../../lib/protocol/workflow-ids.ts';
import { type Mongo, openMongo } from '../../lib/stores/mongo/client.ts';
import { collections, type JobDocument } from '../../lib/stores/mongo/documents.ts';
import { prepareDatabase } from '../../lib/stores/mongo/setup.ts';
import { createMongoStores } from '../../lib/stores/mongo/stores.ts';
import { startServers } from '../servers/start.ts';
import { formatTable, type Row } from './table.ts';

const DAY_MS = 24 * 3_600_000;
const RETENTION_DAYS = 30;
const SEED_BATCH = 5000;
const ROUNDS = 2;
/** Its input and its result. */
const IMAGES_PER_JOB = 2;

interface Sizes {
  /** Jobs in the collection; the ratio is larger to smaller. */
  smaller: number;
  larger: number;
  /** How many of the jobs have expired, for both sizes. */
  expired: number;
}

/** The cost of deleting an expired job in MongoDB, which must not grow with the collection. */
export async function benchRetention(
  config: Config['mongo'],
  { smaller, larger, expired }: Sizes = { smaller: 10_000, larger: 200_000, expired: 5000 },
): Promise<Row[]> {
  const costs: { small: number; large: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    costs.push({
      small: await costPerJob(config, smaller, expired),
      large: await costPerJob(config, larger, expired),
    });
  const baseline = Math.min(...costs.map(({ small }) => small));
  const value = Math.min(...costs.map(({ large }) => large));
  return [
    { what: `retention of ${expired} expired jobs among ${smaller}`, value: baseline, unit: 'ms/job' },
    {
      what: `retention of ${expired} expired jobs among ${larger}`,
      value,
      unit: 'ms/job',
      baseline,
      ratio: value / baseline,
      goal: { atMost: 1.3 },
    },
  ];
}

async function costPerJob(config: Config['mongo'], size: number, expired: number): Promise<number> {
  await using mongo = openMongo({ ...config, database: `bench_retention_${randomUUID().slice(0, 8)}` });
  try {
    await prepareDatabase(mongo.db);
    await seed(mongo, size, expired);
    // Flush the seeded data first, or its writes would count.
    await mongo.db.admin().command({ fsync: 1 });
    const stores = createMongoStores(mongo);
    const installation = await stores.settings.claimInstallation(randomUUID());
    const retention = createRetentionActivities({
      stores,
      images: {
        remove: async () => [],
        list: async () => ({ found: [], next: undefined }),
        mark: async (bucket) => markOf(installation, bucket),
      },
      workflows: { deleteHistory: async () => true },
    });
    const deleting = await runStep(retention.deleteExpiredJobs, ({ deleted = 0 }) => deleted);
    const removing = await runStep(retention.removeQueuedImages, ({ removed = 0 }) => removed);
    if (deleting.total !== expired || removing.total !== IMAGES_PER_JOB * expired)
      throw new Error(
        `Deleted ${deleting.total} jobs and ${removing.total} images, not those of ${expired} jobs.`,
      );
    return deleting.msEach + IMAGES_PER_JOB * removing.msEach;
  } finally {
    await mongo.db.dropDatabase();
  }
}

type Step = ReturnType<typeof createRetentionActivities>['deleteExpiredJobs'];
type Counts = Awaited<ReturnType<Step>>['counts'];

/**
 * Runs a step batch by batch, as the workflow does. `msEach` is the cost of one item in the fastest batch, which other
 * load on the machine disturbed least.
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

/** Inserts completed jobs of one key with retention_days; the first `expired` of them are past it. */
async function seed(mongo: Mongo, size: number, expired: number): Promise<void> {
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
      completedJob(accountId, key.id, start + n < expired ? 2 * RETENTION_DAYS : 1),
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
    workflowId: jobWorkflowId(id),
    inputs: [{ bucket: 'inputs', key: `${accountId}/${id}.jpeg` }],
    results: [{ bucket: 'results', key: `${accountId}/${id}-edited.jpeg` }],
    error: null,
    idempotencyKey: null,
    answered: [id],
    withdrawn: [],
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
    env: environment(),
  });
  const rows = await benchRetention(loadConfig({ ...servers.env }).mongo);
  process.stdout.write(`${formatTable(rows)}\n`);
}
