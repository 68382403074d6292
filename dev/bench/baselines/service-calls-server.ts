import { createHash, randomUUID } from 'node:crypto';
import fastify from 'fastify';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { digestApiKey } from '../../../lib/domain/api-key.ts';
import type { Caller } from '../../../lib/domain/records.ts';
import { renderInstantly } from '../../../lib/generators/instant.ts';
import { configureLibvips } from '../../../lib/imaging/libvips.ts';
import { environment, loadConfig } from '../../../lib/process/config/config.ts';
import { aborted, shutdownSignal } from '../../../lib/process/process.ts';
import { jobWorkflowId } from '../../../lib/protocol/workflow-ids.ts';
import { openMongo } from '../../../lib/stores/mongo/client.ts';
import { createMongoStores } from '../../../lib/stores/mongo/stores.ts';
import { createImageStore } from '../../../lib/stores/s3/images.ts';

const TARGET = { longestSide: 2048, neverSmaller: false } as const;

/**
 * All of a job except Temporal, in one request to one process: the HTTP request, the calls to MongoDB and S3, and the
 * image work.
 */
async function main(): Promise<void> {
  const signal = shutdownSignal();
  const config = loadConfig(environment());
  configureLibvips();
  await using mongo = openMongo(config.mongo);
  await using images = createImageStore(config.s3);
  const stores = createMongoStores(mongo);
  const app = fastify({ bodyLimit: LIMITS.bodyBytes });

  app.post<{ Body: { tool: string; image_base64: string } }>('/calls', async ({ headers, body }, reply) => {
    const caller = await stores.keys.findCaller(digestApiKey(String(headers['x-api-key'])));
    if (caller === undefined) throw new Error('The key is unknown.');
    await stores.accounts.get(caller.accountId);
    const image = Buffer.from(body.image_base64, 'base64');
    const sha256 = createHash('sha256').update(image).digest('hex');
    const draft = draftOf(caller, body.tool, sha256);
    await images.putInput(draft.input.key, image, 'image/jpeg', sha256);
    await stores.jobs.accept(draft);
    await Promise.all([images.getInput(draft.input.key), stores.packs.hasPaid(caller.accountId)]);
    const request = { image, tool: body.tool, settings: {}, target: TARGET, watermark: null };
    const { bytes } = await renderInstantly({ ...request, format: 'jpeg' });
    const key = `${caller.accountId}/${randomUUID()}-calls.jpeg`;
    await images.putResult(key, bytes, 'image/jpeg');
    await stores.jobs.complete(draft.jobId, { results: [{ bucket: 'results', key }], processingMs: 1 });
    await stores.retention.surplus(caller.accountId, LIMITS.completedJobsPerAccount, 1);
    return reply.code(201).send({ job_id: draft.jobId });
  });
  await app.listen({ host: config.api.host, port: config.api.port });
  await aborted(signal);
  await app.close();
}

function draftOf({ accountId, keyId }: Caller, tool: string, bodyDigest: string) {
  const jobId = randomUUID();
  const input = { bucket: 'inputs' as const, key: `${accountId}/${randomUUID()}.jpeg` };
  return {
    jobId,
    accountId,
    keyId,
    tool,
    bodyDigest,
    input,
    idempotencyKey: null,
    imagesCharged: 1,
    options: {},
    warnings: [],
    webhookUrl: null,
    workflowId: jobWorkflowId(jobId),
  };
}

await main();
