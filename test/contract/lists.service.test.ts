import { randomUUID } from 'node:crypto';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { JobList, LedgerList } from '../../lib/contract/lists.ts';
import type { JobDraft } from '../../lib/domain/records.ts';
import { collections } from '../../lib/stores/mongo/documents.ts';
import { draftOf } from '../setup/records.ts';
import { type Service, startService } from '../setup/service.ts';
import { storingGateway } from './gateway.ts';
import { error, expectError, outcome } from './responses.ts';

let service: Service;
let client: Awaited<ReturnType<Service['client']>>;

beforeAll(async () => {
  const jobGateway = storingGateway({ accept: (draft) => service.stores.jobs.accept(draft) });
  service = await startService({ api: { jobGateway } });
});
beforeEach(async () => {
  client = await service.client();
});
afterAll(() => service?.[Symbol.asyncDispose]());

type Query = Record<string, string | number | string[]>;

function get(path: string, query: Query = {}, headers: Record<string, string> = client.headers) {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, String(value)]),
  );
  return service.app.inject({ url: `/api/v1${path}?${new URLSearchParams(pairs)}`, headers });
}
async function idsOf(query: Query, headers?: Record<string, string>): Promise<string[]> {
  const response = await get('/jobs', query, headers);
  expect([response.statusCode, response.body]).toEqual([200, expect.any(String)]);
  return response.json<JobList>().data.map(({ job_id }) => job_id);
}
/** Accepts jobs one after the other. @returns their ids, the newest first */
async function accept(changes: readonly Partial<JobDraft>[]): Promise<string[]> {
  const ids: string[] = [];
  for (const [n, change] of changes.entries()) {
    const draft = draftOf(client, change);
    await service.stores.jobs.accept(draft);
    await createdAt(draft.jobId, n * 1000);
    ids.unshift(draft.jobId);
  }
  return ids;
}
const START = Date.parse('2026-11-22T09:30:00Z');
const createdAt = (jobId: string, ms: number) =>
  collections(service.mongo.db).jobs.updateOne({ _id: jobId }, { $set: { createdAt: new Date(START + ms) } });
const end = (jobId = '') => service.stores.jobs.complete(jobId, { results: [], processingMs: 1 });

describe('GET /v1/jobs', () => {
  test('lists the jobs of all keys of the account, the newest first, as GET of each returns them', async () => {
    const [first = '', ...others] = await accept([{}, { idempotencyKey: 'k-1' }, {}]);
    await end(first);
    const { headers } = await service.keyOf(client.accountId);
    const page = (await get('/jobs', {}, headers)).json<JobList>();
    expect(Value.Check(JobList, page)).toBe(true);
    expect(page.has_more).toBe(false);
    expect(page.data.map(({ job_id }) => job_id)).toEqual([first, ...others]);
    expect(page.data[0]).toEqual((await get(`/jobs/${first}`)).json());
    expect(page.data[1]?.idempotency_key).toBe('k-1');
    expect(await idsOf({}, (await service.client()).headers)).toEqual([]);
  });

  test('has pages that neither skip nor repeat a job, also when jobs are created and deleted between them', async () => {
    const ids = await accept(Array.from({ length: 7 }, () => ({})));
    // Several of one millisecond.
    for (const id of ids.slice(2, 5)) await createdAt(id, 3000);
    const all = await idsOf({});
    const seen: string[] = [];
    for (let after: Query = {}; ; after = { starting_after: seen.at(-1) ?? '' }) {
      const page = (await get('/jobs', { limit: 2, ...after })).json<JobList>();
      seen.push(...page.data.map(({ job_id }) => job_id));
      if (!page.has_more) break;
      const last = seen.at(-1) ?? '';
      await end(last);
      await service.stores.jobs.remove([last]);
      await service.stores.jobs.accept(draftOf(client));
    }
    expect(seen).toEqual(all);
    expect([...all].sort()).toEqual([...ids].sort());
  });

  test('is filtered by status, tool, time and key, and by several of them', async () => {
    const pool = { tool: 'pool' };
    const ids = await accept([pool, { idempotencyKey: 'bestellung-Ã©' }, pool, { idempotencyKey: 'x' }]);
    const [keyed, young, other, old] = ids;
    await end(old);
    expect(await idsOf({ status: 'completed' })).toEqual([old]);
    expect(await idsOf({ tool: 'pool' })).toEqual([young, old]);
    expect(await idsOf({ tool: 'pool', status: 'processing' })).toEqual([young]);
    expect(await idsOf({ tool: 'gone' })).toEqual([]);
    expect(await idsOf({ idempotency_key: 'x' })).toEqual([keyed]);
    // Sent as UTF-8, which a server reads as Latin-1.
    for (const key of ['bestellung-é', 'bestellung-Ã©'])
      expect(await idsOf({ idempotency_key: key })).toEqual([other]);
    expect(await idsOf({ idempotency_key: 'x', status: 'failed' })).toEqual([]);
    expect(await idsOf({ idempotency_key: 'x' }, (await service.client()).headers)).toEqual([]);
  });

  test('begins with created_after and ends before created_before', async () => {
    const [, second, third] = await accept([{}, {}, {}]);
    const at = (seconds: number) => new Date(START + seconds * 1000).toISOString();
    expect(await idsOf({ created_after: at(0), created_before: at(2) })).toEqual([second, third]);
    expect(await idsOf({ created_after: '2026-11-22T10:30:01+01:00', created_before: at(2) })).toEqual([
      second,
    ]);
    expect(await idsOf({ created_after: '2026-11-22T09:30:00.0000001Z', limit: 2 })).not.toContain(third);
    expect(await idsOf({ created_after: at(2), created_before: at(1) })).toEqual([]);
  });

  test('leaves deleted jobs out', async () => {
    const [first = '', second] = await accept([{}, {}]);
    await end(first);
    await service.stores.jobs.remove([first]);
    expect(await idsOf({})).toEqual([second]);
    expect(await idsOf({ starting_after: first.toUpperCase() })).toEqual([second]);
  });
});

describe('GET /v1/ledger', () => {
  test('has every change of the balance, the newest first, in pages', async () => {
    const [failed = ''] = await accept([{}]);
    await service.stores.jobs.fail(failed, { error: 'No.', failureReason: 'no_result', processingMs: 1 });
    const { pack } = await service.stores.packs.add({ ...client, images: 500, reference: null });
    await service.stores.ledger.credit({ ...client, images: 5, reason: 'internal note' });
    const all = (await get('/ledger')).json<LedgerList>();
    expect(Value.Check(LedgerList, all)).toBe(true);
    expect(all.data.map(({ kind, images, balance_after }) => [kind, images, balance_after])).toEqual([
      ['credit', 5, 555],
      ['pack', 500, 550],
      ['refund', 1, 50],
      ['charge', -1, 49],
      ['grant', 50, 50],
    ]);
    expect(all.data[1]).toMatchObject({ id: `pack:${pack.id}`, pack_id: pack.id, job_id: null });
    expect(all.data[2]).toMatchObject({ id: `refund:${failed}`, pack_id: null, job_id: failed });
    expect(JSON.stringify(all)).not.toContain('internal note');
    const first = (await get('/ledger', { limit: 3 })).json<LedgerList>();
    const rest = (
      await get('/ledger', { limit: 3, starting_after: first.data[2]?.id ?? '' })
    ).json<LedgerList>();
    expect([first.has_more, rest.has_more]).toEqual([true, false]);
    expect([...first.data, ...rest.data]).toEqual(all.data);
  });
});

describe.each(['/jobs', '/ledger'])('a wrong query of GET /v1%s', (path) => {
  test.each(['0', '101', '-1', '1.5', '1e1', '0x10', 'true', 'ten', '', ' 5', '9'.repeat(400)])(
    'limit %j is refused',
    async (limit) => {
      const refused = await get(path, { limit });
      expectError(refused, 'invalid_request', service.config.api.publicUrl);
      expect(refused.json().error.message).toBe('limit: must be a whole number from 1 to 100.');
    },
  );

  test('a cursor gets the same answer whether it is unknown, malformed or of another account', async () => {
    const own = client;
    const [foreign = ''] = await accept([{}]);
    client = await service.client();
    const row = `charge:${foreign}`;
    const cursors = [foreign, row, randomUUID(), 'x', '', '\0', '$ne', `grant:free50:${own.accountId}`];
    const answers = await Promise.all(cursors.map((starting_after) => get(path, { starting_after })));
    for (const answer of answers) {
      expect(outcome(answer)).toBe(error('invalid_request'));
      expect(answer.body).toBe(answers[0]?.body);
    }
    expect(outcome(await get(path, { starting_after: 'x'.repeat(201) }))).toBe(error('invalid_request'));
  });

  test('a repeated parameter is refused, and an unknown one ignored', async () => {
    const repeated = await get(path, { limit: ['5', '5'] });
    expect(outcome(repeated)).toBe(error('invalid_request'));
    expect(repeated.json().error.message).toBe('limit: must be sent once.');
    for (const query of [{ nothing: ['1', '2'] }, { __proto__x: '1' }, { '[]': '5' }])
      expect(outcome(await get(path, query as Query))).toBe('200');
  });

  test.each(['limit[]', 'Limit', 'LIMIT', 'li_mit'])('limit spelt %s is refused', async (name) => {
    const refused = await get(path, { [name]: 5 });
    expectError(refused, 'invalid_request', service.config.api.publicUrl);
    expect(refused.json().error.message).toBe(`limit: must be written like this, not "${name}".`);
  });

  test.each(['x=%E9', 'x=plain%2', 'x=%zz', 'x=%C3%28', '%'])('%s is refused', async (query) => {
    const refused = await service.app.inject({ url: `/api/v1${path}?${query}`, headers: client.headers });
    expectError(refused, 'invalid_request', service.config.api.publicUrl);
    expect(refused.json().error.message).toContain('percent-encoded UTF-8');
  });

  test('without a key is 401', async () => {
    expect(outcome(await get(path, {}, { 'x-api-key': '' }))).toBe(error('invalid_api_key'));
  });
});

describe('a filter of GET /v1/jobs that is refused', () => {
  test.each<[string, string[]]>([
    ['status', ['deleted', 'voided', 'Completed', '', 'processing,failed']],
    ['tool', ['', 'Pool', 'a b', 'pool\0', 'x'.repeat(101), '../x']],
    [
      'created_after',
      [
        '',
        'now',
        '2026-11-22',
        '2026-02-30T00:00:00Z',
        '2026-11-22T09:30:00',
        '1795000000',
        '2026-11-22T24:00:00Z',
      ],
    ],
    [
      'created_before',
      ['2026-11-22T10:00:00 01:00', '2026-11-22T25:00:00Z', `2026-11-22T09:30:00.${'1'.repeat(99)}Z`],
    ],
    ['idempotency_key', ['', 'a\nb', '\0', 'x'.repeat(129)]],
  ])('%s: %j', async (name, values) => {
    for (const value of values) {
      const refused = await get('/jobs', { [name]: value });
      expect([value, outcome(refused)]).toEqual([value, error('invalid_request')]);
      expect(refused.json().error.message).toMatch(new RegExp(`^${name}: must `));
    }
  });
});
