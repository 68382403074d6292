import { pino } from 'pino';
import { type ApiOverrides, openApi } from '../../api/open-api.ts';
import { digestApiKey, issueApiKey } from '../../lib/domain/api-key.ts';
import { createEgress, type Egress, EgressError } from '../../lib/egress/egress.ts';
import { loadConfig } from '../../lib/process/config/config.ts';
import { createFakeImageStore } from '../fakes/images.ts';
import { createFakeJobFeed } from '../fakes/job-feed.ts';
import { createFakeStores } from '../fakes/stores.ts';
import { PERMISSIVE } from '../setup/permissive.ts';
import { REQUIRED } from '../setup/required.ts';
import { storingGateway } from './gateway.ts';

/** The only URL that the fake egress serves; other public hosts do not resolve. */
export const IMAGE_URL = 'https://images.example.com/room.jpg';

/**
 * The real API with in-memory stores, and an account with a balance.
 * @param image the bytes at {@link IMAGE_URL}
 * @param env settings of the API
 */
export async function startFakeApi(
  image: Buffer = Buffer.alloc(0),
  overrides: ApiOverrides = {},
  env: Record<string, string> = {},
) {
  // The driver refuses this URL: opening MongoDB would fail.
  const config = loadConfig({ ...REQUIRED, MONGODB_URL: 'mongodb://%', LOG_LEVEL: 'silent', ...env });
  const stores = createFakeStores();
  const images = createFakeImageStore();
  const gateway = storingGateway(stores.jobs);
  const api = await openApi(config, {
    stores,
    images,
    jobFeed: createFakeJobFeed(stores.books),
    egress: offline(image),
    jobGateway: gateway,
    voids: { enqueue: () => {}, [Symbol.asyncDispose]: async () => {} },
    logger: pino({ level: 'silent' }),
    ...PERMISSIVE,
    ...overrides,
  });
  await api.app.ready();

  /** Creates an account with a balance and a key. */
  async function client() {
    const account = await stores.accounts.create({ name: 'A', webhookUrl: null, webhookSecret: 'whsec_' });
    const apiKey = issueApiKey(config.keyPrefix);
    const key = { name: 'Key', digest: digestApiKey(apiKey), hint: 'hint', retentionDays: null };
    await stores.keys.create({ accountId: account.id, ...key });
    await stores.packs.add({ accountId: account.id, images: 10_000_000, reference: null });
    return { accountId: account.id, headers: { 'x-api-key': apiKey } };
  }
  const { limits } = api.deps;
  return { ...api, stores, images, gateway, config, limits, client, ...(await client()) };
}

/** The real URL checks, without network access. */
function offline(image: Buffer): Egress {
  const notFound = async () => {
    throw new Error('ENOTFOUND');
  };
  const real = createEgress({ allowOrigins: [], resolve: notFound });
  return {
    ...real,
    async fetch(url) {
      await real.check(url);
      if (url !== IMAGE_URL) throw new EgressError('unresolved', 'The host was not found in DNS.');
      return { url, status: 200, contentType: 'image/jpeg', headers: {}, body: image };
    },
  };
}
