import fastify from 'fastify';
import { environment, loadConfig } from '../../../lib/process/config/config.ts';
import { aborted, shutdownSignal } from '../../../lib/process/process.ts';
import { openMongo } from '../../../lib/stores/mongo/client.ts';
import { collections } from '../../../lib/stores/mongo/documents.ts';

interface Params {
  job: string;
  key: string;
}

/** A server whose routes only look up a job (`/one`), or a key and then a job (`/two`). */
async function main(): Promise<void> {
  const signal = shutdownSignal();
  const config = loadConfig(environment());
  await using mongo = openMongo(config.mongo);
  const { jobs, keys } = collections(mongo.db);
  const app = fastify();
  app.get<{ Params: Params }>('/two/:job/:key', async ({ params }) => {
    await keys.findOne({ _id: params.key });
    return jobs.findOne({ _id: params.job });
  });
  app.get<{ Params: Params }>('/one/:job', async ({ params }) => jobs.findOne({ _id: params.job }));
  await app.listen({ host: config.api.host, port: config.api.port });
  await aborted(signal);
  await app.close();
}

await main();
