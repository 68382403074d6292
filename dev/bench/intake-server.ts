import { monitorEventLoopDelay } from 'node:perf_hooks';
import fastify from 'fastify';
import { createApiLimits } from '../../api/admission/limits.ts';
import { createRequestPermits } from '../../api/admission/request-permits.ts';
import { readJobBody, registerBodies } from '../../api/http/bodies.ts';
import { bodyDigest } from '../../api/intake/job-body.ts';
import type { Caller } from '../../lib/domain/records.ts';
import { inspectImage } from '../../lib/imaging/inspect.ts';

/** Measurements of one round of requests. */
export interface Round {
  longestBlockMs: number;
  extraRssBytes: number;
}

/**
 * The API's intake in a separate process, so that its memory and event loop can be measured. The parent sends the
 * number of requests of a round; each body is held until all have arrived, then the round is reported.
 */
async function main(): Promise<void> {
  const app = fastify();
  const round = createRound();
  const limits = createApiLimits({ bytesInFlight: Number.POSITIVE_INFINITY, unpaidBytesPerMinute: 0 });
  // Each request has a key of its own, so that no limit of one key limits the round.
  app.addHook('onRequest', async (request) => {
    request.caller = { keyId: request.id, accountId: request.id } as Caller;
  });
  registerBodies(app, limits);
  app.post('/jobs', { config: { group: 'create-job' } }, async (request, reply) => {
    using permits = createRequestPermits(request.caller, reply.raw);
    const { body } = await readJobBody(request, reply, permits, limits);
    const { image } = body;
    const usable = image !== undefined && 'bytes' in image && inspectImage(image.bytes).ok;
    await round.arrived();
    return reply.code(usable ? 201 : 400).send({ digest: bodyDigest(body) });
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  process.on('message', (expected: number) => round.start(expected));
  process.send?.({ port: (app.server.address() as { port: number }).port });
}

function createRound() {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let waiting: (() => void)[] = [];
  let expected = 0;
  let before = 0;
  let peak = 0;
  const sample = () => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  setInterval(sample, 5).unref();

  function finish(): void {
    sample();
    // The histogram includes its own timer interval: one resolution step.
    const report: Round = { longestBlockMs: delay.max / 1e6 - 1, extraRssBytes: peak - before };
    delay.disable();
    process.send?.(report);
    for (const release of waiting) release();
    waiting = [];
  }

  return {
    start(requests: number): void {
      expected = requests;
      globalThis.gc?.();
      before = process.memoryUsage.rss();
      peak = before;
      delay.reset();
      delay.enable();
      process.send?.('ready');
    },
    arrived(): Promise<void> {
      return new Promise((resolve) => {
        waiting.push(resolve);
        if (waiting.length === expected) setImmediate(finish);
      });
    },
  };
}

await main();
