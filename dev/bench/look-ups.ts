import fastify from 'fastify';
import { environment, loadConfig } from '../../lib/process/config/config.ts';
import { aborted, shutdownSignal } from '../../lib/process/process.ts';
import { openMongo } from '../../lib/stores/mongo/client.ts';
import { collections } from '../../lib/stores/mongo/documents.ts';

// A server whose only route looks up a key and then a job, and does nothing else.

const signal = shutdownSignal();
const { mongo: settings, api } = loadConfig(environment());
await using mongo = openMongo(settings);
const { jobs, keys } = collections(mongo.db);
const app = fastify();
app.get<{ Params: { job: string; key: string } }>('/:job/:key', async ({ params }) => {
  await keys.findOne({ _id: params.key });
  return jobs.findOne({ _id: params.job });
});
await app.listen({ host: api.host, port: api.port });
await aborted(signal);
await app.close();
