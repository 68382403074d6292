import { pino } from 'pino';
import { buildApp } from '../../api/app.ts';
import { createBudgets } from '../../api/budgets.ts';
import type { ApiDeps } from '../../api/deps.ts';
import { loadConfig } from '../../config.ts';
import { digestApiKey, issueApiKey } from '../../contract/api-key.ts';
import { createEgress, type Egress, EgressError } from '../../egress/egress.ts';
import { createFakeImageStore } from '../fakes/images.ts';
import { createFakeStores } from '../fakes/stores.ts';
import { storingGateway } from './gateway.ts';

/** Where the fakes serve a picture; every other public host is not found. */
export const PICTURE_URL = 'https://pictures.example.com/room.jpg';

/** The real API over records in memory, for walks and fuzzing of thousands of requests, with a key that can pay. */
export async function startFakeApi(picture: Buffer, parts: Partial<ApiDeps> = {}) {
  const config = loadConfig({ S3_ACCESS_KEY_ID: 'x', S3_SECRET_ACCESS_KEY: 'x', LOG_LEVEL: 'silent' });
  const stores = createFakeStores();
  const images = createFakeImageStore();
  const gateway = storingGateway(stores.jobs);
  const deps: ApiDeps = {
    config,
    stores,
    images,
    egress: offline(picture),
    jobs: gateway,
    rateLimits: { countClient: async () => {}, countKey: async () => {} },
    budgets: createBudgets(config.api),
    apiSwitch: { enabled: () => true, [Symbol.asyncDispose]: async () => {} },
    logger: pino({ level: 'silent' }),
    ...parts,
  };
  const app = buildApp(deps);
  await app.ready();

  /** An account of its own that can pay, with a key. */
  async function client() {
    const account = await stores.accounts.create({ name: 'A', webhookUrl: null, webhookSecret: 'whsec_' });
    const apiKey = issueApiKey(config.keyPrefix);
    const key = { name: 'Key', digest: digestApiKey(apiKey), hint: 'hint', retentionDays: null };
    await stores.keys.create({ accountId: account.id, ...key });
    await stores.packs.add({ accountId: account.id, images: 10_000_000, reference: null });
    return { accountId: account.id, headers: { 'x-api-key': apiKey } };
  }
  const { budgets } = deps;
  return { app, deps, stores, images, gateway, config, budgets, client, ...(await client()) };
}

/** The real checks of URLs, and no network behind them. */
function offline(picture: Buffer): Egress {
  const notFound = async () => {
    throw new Error('ENOTFOUND');
  };
  const real = createEgress({ allowOrigins: [], resolve: notFound });
  return {
    ...real,
    async fetch(url) {
      await real.check(url);
      if (url !== PICTURE_URL) throw new EgressError('unresolved', 'The host was not found in the DNS.');
      return { url, status: 200, contentType: 'image/jpeg', headers: {}, body: picture };
    },
  };
}
