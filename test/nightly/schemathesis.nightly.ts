import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRateLimits } from '../../api/http/rate-limit.ts';
import { WEBHOOK_LIMITS } from '../../lib/contract/limits.ts';
import { type Service, startService } from '../setup/service.ts';

let service: Service;
let worker: AsyncDisposable;

/** Headers as in production; the clock leaps over the longest window at every look, so that nobody is ever limited. */
function unlimited() {
  let looks = 0;
  return createRateLimits({ prefix: '/api/v1', now: () => ++looks * 2 * WEBHOOK_LIMITS.windowMs });
}

beforeAll(async () => {
  service = await startService({ api: { rateLimits: unlimited() } });
  worker = await service.startWorker();
});
afterAll(async () => {
  await worker?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

test('schemathesis finds no 5xx and no answer that is not in the document', async () => {
  const origin = await service.app.listen({ host: '127.0.0.1', port: 0 });
  const { apiKey } = await service.client(100_000);
  const child = spawn(
    'schemathesis',
    [
      '--config-file=test/nightly/schemathesis.toml',
      'run',
      `${origin}/api/openapi.json`,
      '--checks=all',
      `--url=${origin}/api`,
      `--header=X-Api-Key: ${apiKey}`,
    ],
    { stdio: 'inherit' },
  );
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
  expect(await service.stores.ledger.audit()).toEqual([]);
});
