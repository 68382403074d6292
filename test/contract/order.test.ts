import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createJobBodyReader } from '../../api/intake/body.ts';
import { bodyDigest } from '../../api/intake/digest.ts';
import type { GatewayOutcome } from '../../api/job-gateway.ts';
import { ApiError, type ErrorCode } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { type Served, serveHttp } from '../egress/servers.ts';
import { samplePicture } from '../setup/client.ts';
import { type Service, startService } from '../setup/service.ts';
import { error, outcome } from './answers.ts';
import { draftFor } from './drafts.ts';
import { storingGateway } from './gateway.ts';

let service: Service;
let pictures: Served;
let image_base64: string;
let client: Awaited<ReturnType<Service['client']>>;
const state = { enabled: true, clientFull: false, keyFull: false };
let concluded: GatewayOutcome | undefined;

const full = (when: () => boolean) => async () => {
  if (when()) throw new ApiError('rate_limited', 'Full.');
};

beforeAll(async () => {
  [pictures, image_base64] = await Promise.all([
    serveHttp((_request, response) => response.writeHead(404).end()),
    samplePicture(),
  ]);
  service = await startService({
    env: { EGRESS_ALLOW_ORIGINS: pictures.origin },
    api: {
      apiSwitch: { enabled: () => state.enabled, [Symbol.asyncDispose]: async () => {} },
      rateLimits: { countClient: full(() => state.clientFull), countKey: full(() => state.keyFull) },
      jobs: {
        ...storingGateway({ accept: (draft) => service.stores.jobs.accept(draft) }),
        accept: async ({ draft }) => concluded ?? service.stores.jobs.accept(draft),
      },
    },
  });
});
beforeEach(async () => {
  client = await service.client();
  Object.assign(state, { enabled: true, clientFull: false, keyFull: false });
  concluded = undefined;
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await pictures?.[Symbol.asyncDispose]();
});

/** One fault for each check, in the order of the checks; `spoil` changes the request or the service. */
interface Request {
  headers: Record<string, string>;
  body: Record<string, unknown>;
  payload?: string | Buffer;
}
interface Fault {
  name: string;
  code: ErrorCode;
  spoil: (request: Request) => unknown;
}

const FAULTS: Fault[] = [
  { name: 'the API switched off', code: 'api_disabled', spoil: () => set('enabled', false) },
  { name: 'a full window of the address', code: 'rate_limited', spoil: () => set('clientFull', true) },
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
  { name: 'a full window of the key', code: 'rate_limited', spoil: () => set('keyFull', true) },
  {
    name: 'a type that is not JSON',
    code: 'invalid_request',
    spoil: ({ headers }) => Object.assign(headers, { 'content-type': 'text/plain' }),
  },
  { name: 'a field of the wrong type', code: 'invalid_request', spoil: set5('webhook_url') },
  { name: 'no image at all', code: 'invalid_image', spoil: ({ body }) => delete body.image_url },
  {
    name: 'a key spent on another body',
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
    name: 'a wrong option',
    code: 'invalid_request',
    spoil: ({ body }) => Object.assign(body, { options: { tier: 'none' } }),
  },
  {
    name: 'a private webhook',
    code: 'webhook_url_rejected',
    spoil: ({ body }) => {
      body.webhook_url ??= 'https://10.0.0.1/';
    },
  },
  { name: 'an empty balance', code: 'insufficient_credits', spoil: () => spendAll() },
  { name: 'an image that is not there', code: 'image_fetch_failed', spoil: () => {} },
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
  body: { tool: 'declutter', image_url: `${pictures.origin}/a.jpg` },
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
  await service.stores.jobs.accept(draftFor(client, { imagesCharged: balance }));
};

const inputs = async () => (await service.images.list('inputs', new Date(Date.now() + 60_000))).found;
describe('of two faults the earlier check tells', () => {
  const pairs = FAULTS.slice(1).map((later, n) => [FAULTS[n] ?? later, later] as const);

  test.each(pairs.map(([a, b]) => [a.name, b.name, a, b] as const))(
    '%s before %s',
    async (_earlier, _later, earlier, later) => {
      const asked = pictures.connections();
      const request = valid();
      // The spent key takes a request of its own, which the other fault must not spoil.
      const last = (fault: Fault) => (fault.code === 'idempotency_conflict' ? 0 : 1);
      for (const fault of [earlier, later].sort((a, b) => last(a) - last(b))) await fault.spoil(request);
      expect(outcome(await post(request))).toBe(error(earlier.code));
      expect(pictures.connections()).toBe(asked);
    },
  );

  test('and alone each fault tells itself', async () => {
    for (const fault of FAULTS) {
      client = await service.client();
      Object.assign(state, { enabled: true, clientFull: false, keyFull: false });
      const request = valid();
      await fault.spoil(request);
      expect(outcome(await post(request))).toBe(error(fault.code));
    }
  });
});

describe('a request that was refused', () => {
  test.each<[string, () => Request]>([
    ['for its picture', () => ({ ...valid(), body: { tool: 'declutter', image_base64: 'AAAA' } })],
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
    ['seen before the upload', valid],
    ['whatever the picture', () => ({ ...valid(), body: { tool: 'declutter', image_base64: '!' } })],
  ])('for want of images, %s, stores and fetches nothing', async (_when, request) => {
    const [asked, before] = [pictures.connections(), await inputs()];
    await spendAll();
    expect(outcome(await post(request()))).toBe(error('insufficient_credits'));
    expect([pictures.connections(), await inputs()]).toEqual([asked, before]);
  });

  test('for want of images that others took meanwhile removes its image at once', async () => {
    const before = await inputs();
    concluded = { outcome: 'insufficient_credits' };
    expect(outcome(await post({ ...valid(), body: good() }))).toBe(error('insufficient_credits'));
    expect(await inputs()).toEqual(before);
    expect((await service.stores.removals.pending('', 10)).refs).toEqual([]);
  });

  test('because a concurrent one took its key removes its image at once', async () => {
    const before = await inputs();
    concluded = { outcome: 'existing', jobId: crypto.randomUUID(), bodyDigest: 'of another body' };
    const request = { ...valid(), body: good() };
    request.headers['idempotency-key'] = 'raced';
    expect(outcome(await post(request))).toBe(error('idempotency_conflict'));
    expect(await inputs()).toEqual(before);
  });
});

test('a replay is answered although its tool, option and webhook would be refused now', async () => {
  const body = { tool: 'gone', image_base64, options: { tier: 'gone' }, webhook_url: 'https://localhost/' };
  const reader = createJobBodyReader();
  reader.write(Buffer.from(JSON.stringify(body)));
  const draft = draftFor(client, {
    idempotencyKey: 'old',
    bodyDigest: bodyDigest(reader.end()),
    tool: 'gone',
  });
  await service.stores.jobs.accept(draft);
  await spendAll();
  const request = { ...valid(), body };
  request.headers['idempotency-key'] = 'old';
  const answer = await post(request);
  expect([answer.statusCode, answer.json()]).toMatchObject([201, { job_id: draft.jobId, tool: 'gone' }]);
});
