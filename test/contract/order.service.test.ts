import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bodyDigest, createJobBodyReader } from '../../api/intake/job-body.ts';
import type { GatewayOutcome } from '../../api/jobs/gateway.ts';
import { ApiError, type ErrorCode } from '../../lib/contract/errors.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { type Served, serveHttp } from '../lib/egress/servers.ts';
import { sampleImage } from '../setup/images.ts';
import { draftOf } from '../setup/records.ts';
import { type Service, startService } from '../setup/service.ts';
import { storingGateway } from './gateway.ts';
import { error, outcome } from './responses.ts';

let service: Service;
let images: Served;
let image_base64: string;
let client: Awaited<ReturnType<Service['client']>>;
const state = { enabled: true, clientFull: false, keyFull: false };
let forcedOutcome: ((jobId: string) => GatewayOutcome) | undefined;

const full = (when: () => boolean) => async () => {
  if (when()) throw new ApiError('rate_limited', 'Full.');
};

beforeAll(async () => {
  [images, image_base64] = await Promise.all([
    serveHttp((_request, response) => response.writeHead(404).end()),
    sampleImage(),
  ]);
  service = await startService({
    env: { EGRESS_ALLOW_ORIGINS: images.origin },
    api: {
      apiSwitch: { enabled: () => state.enabled, [Symbol.asyncDispose]: async () => {} },
      rateLimits: {
        countClient: full(() => state.clientFull),
        countKey: full(() => state.keyFull),
        countWebhook: () => {},
      },
      jobGateway: {
        ...storingGateway({ accept: (draft) => service.stores.jobs.accept(draft) }),
        accept: async ({ draft }) => forcedOutcome?.(draft.jobId) ?? service.stores.jobs.accept(draft),
      },
    },
  });
});
beforeEach(async () => {
  client = await service.client();
  Object.assign(state, { enabled: true, clientFull: false, keyFull: false });
  forcedOutcome = undefined;
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await images?.[Symbol.asyncDispose]();
});

interface Request {
  headers: Record<string, string>;
  body: Record<string, unknown>;
  payload?: string | Buffer;
}
interface Fault {
  name: string;
  code: ErrorCode;
  /** Changes the request or the service so that the check fails. */
  spoil: (request: Request) => unknown;
}

/** One fault for each check, in the order of the checks. */
const FAULTS: Fault[] = [
  { name: 'the API switched off', code: 'api_disabled', spoil: () => set('enabled', false) },
  { name: 'a rate-limited address', code: 'rate_limited', spoil: () => set('clientFull', true) },
  {
    name: 'a body over the limit',
    code: 'payload_too_large',
    spoil: (request) => {
      request.payload = Buffer.alloc(LIMITS.bodyBytes + 1, ' ');
    },
  },
  {
    name: 'a mistyped key',
    code: 'invalid_api_key',
    spoil: ({ headers }) => Object.assign(headers, { 'x-api-key': `${client.apiKey}x` }),
  },
  { name: 'a revoked key', code: 'key_revoked', spoil: () => service.stores.keys.revoke(client.keyId) },
  { name: 'a rate-limited key', code: 'rate_limited', spoil: () => set('keyFull', true) },
  {
    name: 'a type that is not JSON',
    code: 'invalid_request',
    spoil: ({ headers }) => Object.assign(headers, { 'content-type': 'text/plain' }),
  },
  { name: 'a field of the wrong type', code: 'invalid_request', spoil: set5('webhook_url') },
  { name: 'no image at all', code: 'invalid_image', spoil: ({ body }) => delete body.image_url },
  {
    name: 'an Idempotency-Key used with another body',
    code: 'idempotency_conflict',
    spoil: async ({ headers }) => {
      headers['idempotency-key'] = 'spent';
      await post({ headers: { ...headers, ...valid().headers, 'idempotency-key': 'spent' }, body: good() });
    },
  },
  {
    name: 'an unknown tool',
    code: 'invalid_tool',
    spoil: ({ body }) => Object.assign(body, { tool: 'none' }),
  },
  {
    name: 'an invalid option',
    code: 'invalid_request',
    spoil: ({ body }) => Object.assign(body, { options: { tier: 'none' } }),
  },
  {
    name: 'a private webhook_url',
    code: 'webhook_url_rejected',
    spoil: ({ body }) => {
      body.webhook_url ??= 'https://10.0.0.1/';
    },
  },
  { name: 'an empty balance', code: 'insufficient_credits', spoil: () => spendAll() },
  { name: 'an image_url with status 404', code: 'image_fetch_failed', spoil: () => {} },
];

function set(what: keyof typeof state, value: boolean): void {
  state[what] = value;
}
function set5(field: string) {
  return ({ body }: Request) => Object.assign(body, { [field]: 5 });
}

const good = () => ({ tool: 'declutter', image_base64 });
const valid = (): Request => ({
  headers: { ...client.headers, 'content-type': 'application/json' },
  body: { tool: 'declutter', image_url: `${images.origin}/a.jpg` },
});
const post = ({ headers, body, payload }: Request) =>
  service.app.inject({
    method: 'POST',
    url: '/api/v1/jobs',
    headers,
    payload: payload ?? JSON.stringify(body),
  });

const spendAll = async () => {
  const { balance } = await service.stores.accounts.get(client.accountId);
  await service.stores.jobs.accept(draftOf(client, { imagesCharged: balance }));
};

const inputs = async () => (await service.images.list('inputs')).found;
describe('with two faults the earlier check decides', () => {
  const pairs = FAULTS.slice(1).map((later, n) => [FAULTS[n] ?? later, later] as const);

  test.each(pairs.map(([a, b]) => [a.name, b.name, a, b] as const))(
    '%s before %s',
    async (_earlier, _later, earlier, later) => {
      const connections = images.connections();
      const request = valid();
      // To use the key up takes another request, which the other fault must not affect.
      const last = (fault: Fault) => (fault.code === 'idempotency_conflict' ? 0 : 1);
      for (const fault of [earlier, later].sort((a, b) => last(a) - last(b))) await fault.spoil(request);
      expect(outcome(await post(request))).toBe(error(earlier.code));
      expect(images.connections()).toBe(connections);
    },
  );

  test('and each fault alone has its own code', async () => {
    for (const fault of FAULTS) {
      client = await service.client();
      Object.assign(state, { enabled: true, clientFull: false, keyFull: false });
      const request = valid();
      await fault.spoil(request);
      expect(outcome(await post(request))).toBe(error(fault.code));
    }
  });
});

describe('a request that is rejected', () => {
  test.each<[string, () => Request]>([
    ['for its image', () => ({ ...valid(), body: { tool: 'declutter', image_base64: 'AAAA' } })],
    ['for its options', () => ({ ...valid(), body: { ...good(), options: { tier: 5 } } })],
    ['for its tool', () => ({ ...valid(), body: { ...good(), tool: 'none' } })],
    ['for its webhook', () => ({ ...valid(), body: { ...good(), webhook_url: 'https://localhost/' } })],
  ])('%s leaves neither a charge nor an image', async (_why, request) => {
    const before = await inputs();
    expect(outcome(await post(request()))).toMatch(/^400 /);
    expect(await inputs()).toEqual(before);
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(50);
  });

  test.each<[string, () => Request]>([
    ['before its image is fetched', valid],
    ['before its image is checked', () => ({ ...valid(), body: { tool: 'declutter', image_base64: '!' } })],
  ])('for its balance, %s, stores and fetches nothing', async (_when, request) => {
    const [connections, before] = [images.connections(), await inputs()];
    await spendAll();
    expect(outcome(await post(request()))).toBe(error('insufficient_credits'));
    expect([images.connections(), await inputs()]).toEqual([connections, before]);
  });

  test('for a balance that concurrent requests used up has its image deleted at once', async () => {
    const before = await inputs();
    forcedOutcome = (jobId) => ({ outcome: 'insufficient_credits', jobId });
    expect(outcome(await post({ ...valid(), body: good() }))).toBe(error('insufficient_credits'));
    expect(await inputs()).toEqual(before);
    expect((await service.stores.removals.pending('', 10)).refs).toEqual([]);
  });

  test('for an Idempotency-Key that a concurrent request used has its image deleted at once', async () => {
    const before = await inputs();
    const jobId = crypto.randomUUID();
    forcedOutcome = () => ({ outcome: 'existing', jobId, bodyDigest: 'of another body' });
    const request = { ...valid(), body: good() };
    request.headers['idempotency-key'] = 'raced';
    expect(outcome(await post(request))).toBe(error('idempotency_conflict'));
    expect(await inputs()).toEqual(before);
  });
});

test('a replay returns the job even if its tool, options and webhook_url would be rejected now', async () => {
  const body = { tool: 'gone', image_base64, options: { tier: 'gone' }, webhook_url: 'https://localhost/' };
  const reader = createJobBodyReader();
  reader.write(Buffer.from(JSON.stringify(body)));
  const draft = draftOf(client, {
    idempotencyKey: 'old',
    bodyDigest: bodyDigest(reader.end()),
    tool: 'gone',
  });
  await service.stores.jobs.accept(draft);
  await spendAll();
  const request = { ...valid(), body };
  request.headers['idempotency-key'] = 'old';
  const response = await post(request);
  expect([response.statusCode, response.json()]).toMatchObject([201, { job_id: draft.jobId, tool: 'gone' }]);
});
