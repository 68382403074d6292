import { monitorEventLoopDelay } from 'node:perf_hooks';
import fastify from 'fastify';
import { createBudgets } from '../api/budgets.ts';
import type { JobBody } from '../api/intake/body.ts';
import { bodyDigest } from '../api/intake/digest.ts';
import { limitBody, registerBodies } from '../api/plugins/body.ts';
import { inspectImage } from '../imaging/inspect.ts';
import type { Caller } from '../stores/records.ts';

/** What a round of requests did to this process. */
export interface Round {
  longestBlockMs: number;
  extraRssBytes: number;
}

/**
 * The API's intake in a process of its own, so that its memory and event loop are its own. Told how many requests to
 * expect, it holds each body until all are there, then reports the round.
 */
async function main(): Promise<void> {
  const app = fastify();
  const round = createRound();
  const budgets = createBudgets({ bytesInFlight: Number.POSITIVE_INFINITY, unpaidBytesPerMinute: 0 });
  app.addHook('onRequest', limitBody(budgets));
  // Each request as a key of its own: the round is about the intake, not about what one key may have under way.
  app.addHook('onRequest', async (request) => {
    request.caller = { keyId: request.id, accountId: request.id } as Caller;
  });
  registerBodies(app, budgets);
  app.post('/jobs', { config: { group: 'create-job' } }, async (request, reply) => {
    const body = request.body as JobBody;
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
    // The histogram counts the wait it asks for too: one resolution step.
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
