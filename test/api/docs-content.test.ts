import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createContent, sendContent } from '../../api/docs/content.ts';
import { startFakeApi } from '../contract/fake-api.ts';

let api: Awaited<ReturnType<typeof startFakeApi>>;
beforeAll(async () => {
  api = await startFakeApi(Buffer.alloc(0));
});
afterAll(() => api?.[Symbol.asyncDispose]());

const URLS = ['/api/docs', '/api/openapi.json', '/api/docs/assets/swagger-ui-bundle.js'];
const read = (url: string, headers: Record<string, string> = {}) => api.app.inject({ url, headers });

describe.each(URLS)('%s', (url) => {
  test('has a variant with an ETag of its own for each encoding', async () => {
    const plain = await read(url);
    const br = await read(url, { 'accept-encoding': 'gzip, br' });
    const gzip = await read(url, { 'accept-encoding': 'gzip;q=0.5, br;q=0' });
    const encodings = [plain, br, gzip].map(({ headers }) => headers['content-encoding']);
    expect(encodings).toEqual([undefined, 'br', 'gzip']);
    expect(brotliDecompressSync(br.rawPayload).equals(plain.rawPayload)).toBe(true);
    expect(gunzipSync(gzip.rawPayload).equals(plain.rawPayload)).toBe(true);
    expect(new Set([plain, br, gzip].map(({ headers }) => headers.etag)).size).toBe(3);
    for (const { headers } of [plain, br, gzip]) expect(headers.vary).toBe('Accept-Encoding');
  });

  test('may be cached, and so carries nothing that a client has chosen', async () => {
    const chosen = {
      'x-request-id': 'chosen-by-a-client',
      traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    };
    const { etag = '' } = (await read(url)).headers;
    for (const headers of [chosen, { ...chosen, 'if-none-match': String(etag) }]) {
      const { headers: sent, body } = await read(url, headers);
      expect(sent['cache-control']).toBe('public, max-age=300');
      expect(sent['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(JSON.stringify(sent) + body).not.toMatch(/chosen-by-a-client|a{32}-b{16}/);
    }
  });

  test('is not sent to a client that has it already', async () => {
    const accepted = { 'accept-encoding': 'br' };
    const { etag = '' } = (await read(url, accepted)).headers;
    const known = await read(url, { ...accepted, 'if-none-match': `"other", W/${etag}` });
    expect([known.statusCode, known.body, known.headers.etag]).toEqual([304, '', etag]);
    expect((await read(url, { 'if-none-match': String(etag) })).statusCode).toBe(200);
  });
});

test.each([
  ['', undefined],
  ['*', undefined],
  ['deflate, zstd', undefined],
  ['BR', 'br'],
  ['gzip ; q=1.0', 'gzip'],
  ['br;q=0.000, gzip;Q=0', undefined],
])('Accept-Encoding %j gets the encoding %s', async (accepted, encoding) => {
  const { headers } = await read('/api/docs', { 'accept-encoding': accepted });
  expect(headers['content-encoding']).toBe(encoding);
});

test('an error below the docs may not be cached, and has the id of its client', async () => {
  const { headers } = await read('/api/docs/none', { 'x-request-id': 'chosen' });
  expect([headers['cache-control'], headers['x-request-id']]).toEqual(['no-store', 'chosen']);
});

test('content that compression does not make smaller is sent as it is', async () => {
  expect((await createContent('text/plain', Buffer.from('a'))).compressed).toEqual([]);
});

test('all responses share one Buffer, so that a slow client holds no copy', async () => {
  const content = await createContent('text/plain', Buffer.alloc(100_000, 'a'));
  const sent: unknown[] = [];
  await using app = fastify();
  app.addHook('onSend', async (_request, _reply, payload) => {
    sent.push(payload);
    return payload;
  });
  app.get('/', (request, reply) => sendContent(request, reply, content));
  for (const accepted of ['', '', 'br', 'br'])
    await app.inject({ url: '/', headers: { 'accept-encoding': accepted } });
  const bodies = [content.identity, content.compressed[0]].map((variant) => variant?.body);
  expect(bodies).toEqual([expect.any(Buffer), expect.any(Buffer)]);
  for (const [n, payload] of sent.entries()) expect(payload).toBe(bodies[n < 2 ? 0 : 1]);
});
