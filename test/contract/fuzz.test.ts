import fc from 'fast-check';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ERRORS, type ErrorCode } from '../../lib/contract/errors.ts';
import { ErrorEnvelope, JobCreated, JobReplayed } from '../../lib/contract/schemas.ts';
import '../setup/context.ts';
import { sampleImage } from '../setup/images.ts';
import { anything, damage, headers, jobBodies, paths } from './arbitraries.ts';
import { startFakeApi } from './fake-api.ts';
import type { ContractResponse } from './responses.ts';
import { dial, listen } from './wire.ts';

/** 2,000 cases in `npm test`, and 10,000 in `npm run verify`. fast-check prints the seed and the shrunk failure. */
const runs = inject('thorough')
  ? { bodies: 5000, damaged: 2000, routes: 2500, wire: 500 }
  : { bodies: 1000, damaged: 400, routes: 500, wire: 100 };

let api: Awaited<ReturnType<typeof startFakeApi>>;
let base64: string;
let jobId: string;

beforeAll(async () => {
  base64 = await sampleImage(8, 8);
  api = await startFakeApi(Buffer.from(base64, 'base64'));
  const { json } = await post(api.headers, JSON.stringify({ tool: 'pool', image_base64: base64 }));
  jobId = json().job_id;
});
afterAll(async () => api?.app.close());

const post = (more: Record<string, string>, payload: string | Buffer) =>
  api.app.inject({
    method: 'POST',
    url: '/api/v1/jobs',
    headers: { 'content-type': 'application/json', ...more },
    payload,
  });

/** Checks that a response is a 2xx, or an error of the table in the exact envelope. */
function expectContract({ statusCode, body, headers }: ContractResponse): void {
  expect(headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  if (statusCode < 300) return;
  const envelope = JSON.parse(body);
  expect(Value.Check(ErrorEnvelope, envelope)).toBe(true);
  const { code, ...rest } = envelope.error;
  expect([Object.keys(envelope), Object.keys(rest)]).toEqual([['error'], ['message', 'doc_url']]);
  expect(statusCode).toBe(ERRORS[code as ErrorCode].status);
  expect(statusCode, body).toBeLessThan(500);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
}

function expectJob(response: ContractResponse): void {
  expectContract(response);
  if (response.statusCode >= 300) return;
  const job: unknown = JSON.parse(response.body);
  expect(response.statusCode).toBe(201);
  expect(Value.Check(JobReplayed, job) || Value.Check(JobCreated, job)).toBe(true);
}

describe('no request gets a 5xx or a response outside the contract', () => {
  const seen = new Map<number, number>();
  const count = ({ statusCode }: ContractResponse) => seen.set(statusCode, (seen.get(statusCode) ?? 0) + 1);

  test('with any fields and headers of a job', { timeout: 120_000 }, async () => {
    const request = fc.tuple(headers(api.headers['x-api-key']), jobBodies(base64));
    const check = fc.asyncProperty(request, async ([sent, body]) => {
      const response = await post(sent, JSON.stringify(body));
      count(response);
      expectJob(response);
    });
    await fc.assert(check, { numRuns: runs.bodies });
    // The later checks were reached as well.
    for (const status of [201, 400, 401, 409]) expect(seen.get(status) ?? 0).toBeGreaterThan(10);
  });

  test('with any bytes of a body', { timeout: 120_000 }, async () => {
    const valid = Buffer.from(
      JSON.stringify({
        tool: 'pool',
        options: { poolShape: 'lap' },
        image_base64: base64,
        note: ['é', 1e3, null],
      }),
    );
    const bytes = fc.oneof(
      { weight: 3, arbitrary: damage(valid) },
      fc.uint8Array({ maxLength: 300 }).map((raw) => Buffer.from(raw)),
      anything.map((value) => Buffer.from(JSON.stringify(value))),
      fc.constantFrom('[', '{"a":', '{"options":{"a":[').map((open) => Buffer.from(open.repeat(5000))),
    );
    const check = fc.asyncProperty(bytes, async (payload) => expectJob(await post(api.headers, payload)));
    await fc.assert(check, { numRuns: runs.damaged });
  });

  test('with any method, path and headers', { timeout: 120_000 }, async () => {
    const method = fc.constantFrom(
      'GET',
      'HEAD',
      'DELETE',
      'POST',
      'PUT',
      'PATCH',
      'OPTIONS',
      'TRACE',
      'PROPFIND',
    );
    const request = fc.tuple(method, paths(jobId), headers(api.headers['x-api-key']), fc.string());
    const check = fc.asyncProperty(request, async ([verb, url, sent, payload]) => {
      const response = await api.app.inject({ method: verb as 'GET', url, headers: sent, payload });
      expect(response.statusCode).toBeLessThan(500);
      // HEAD has no body to check, and /api redirects to the docs.
      if (verb !== 'HEAD' && response.statusCode !== 302) expectContract(response);
    });
    await fc.assert(check, { numRuns: runs.routes });
  });

  test('with any bytes on the connection', { timeout: 120_000 }, async () => {
    const port = await listen(api.app);
    const good = [
      'POST /api/v1/jobs HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json',
      `X-Api-Key: ${api.headers['x-api-key']}\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    ].join('\r\n');
    const check = fc.asyncProperty(
      fc.oneof(damage(Buffer.from(good)), fc.uint8Array({ maxLength: 200 })),
      async (raw) => {
        const wire = await dial(port);
        wire.socket.end(Buffer.from(raw));
        const response = await wire.response();
        // A connection without a request is closed without a response.
        if (wire.received() !== '') expectContract(response);
      },
    );
    await fc.assert(check, { numRuns: runs.wire });
  });
});

test('after these requests the ledger is consistent and every image belongs to a job', async () => {
  expect(await api.stores.ledger.audit(api.accountId)).toEqual([]);
  const jobs = await api.stores.jobs.list(api.accountId, Number.MAX_SAFE_INTEGER);
  const owned = new Set(jobs.flatMap(({ inputs }) => inputs.map(({ key }) => key)));
  expect(new Set(api.images.objects.keys())).toEqual(new Set([...owned].map((key) => `inputs/${key}`)));
});
