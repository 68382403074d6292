import type { FastifyInstance } from 'fastify';
import { ALIVE, type Readiness, statusOf } from '../../lib/process/readiness.ts';

/** Excluded from the OpenAPI document, which describes /v1 only. */
const PROBE = { schema: { hide: true }, config: { probe: true } } as const;

/**
 * /healthz and /readyz, at the root: without a key and without rate limits, also while the API is
 * switched off. Their cost is bounded, because the readiness is checked once a second at most.
 */
export function registerProbes(app: FastifyInstance, readiness: Readiness): void {
  app.get('/healthz', PROBE, async () => ALIVE);
  app.get('/readyz', PROBE, async (_request, reply) => {
    const report = await readiness.report();
    return reply.code(statusOf(report)).send(report);
  });
  app.addHook('preClose', async () => readiness.drain());
}
