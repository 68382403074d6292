import { digestApiKey, issueApiKey } from '../../lib/domain/api-key.ts';
import type { BenchEnvironment } from './environment.ts';

const PER_ACCOUNT = 10_000;

export interface BenchCaller {
  accountId: string;
  apiKey: string;
}

/** Creates accounts with a key and a pack each, so that no result has a watermark and no balance runs out. */
export async function createCallers(environment: BenchEnvironment, count: number): Promise<BenchCaller[]> {
  const callers: BenchCaller[] = [];
  for (let n = 0; n < count; n++) callers.push(await createCaller(environment, n));
  return callers;
}

async function createCaller({ stores, config }: BenchEnvironment, n: number): Promise<BenchCaller> {
  const name = `Bench ${n}`;
  const { id: accountId } = await stores.accounts.create({
    name,
    webhookUrl: null,
    webhookSecret: 'whsec_YmVuY2g=',
  });
  await stores.packs.add({ accountId, images: PER_ACCOUNT, reference: null });
  const apiKey = issueApiKey(config.keyPrefix);
  await stores.keys.create({
    accountId,
    name,
    digest: digestApiKey(apiKey),
    hint: apiKey.slice(0, 8),
    retentionDays: null,
  });
  return { accountId, apiKey };
}

/** Headers of the nth request: keys and addresses rotate, so that no rate limit is reached. */
export function callerHeaders(callers: readonly BenchCaller[], n: number): Record<string, string> {
  const caller = callers[n % callers.length];
  if (caller === undefined) throw new Error('There are no callers.');
  const address = `10.0.${Math.floor(n / 250) % 250}.${n % 250}`;
  return { 'x-api-key': caller.apiKey, 'x-forwarded-for': address };
}
