import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ImageJobs } from '../../../packages/client/src/node.ts';
import { type HttpServer, listen } from '../../../packages/mcp/src/http.ts';
import { createServer } from '../../../packages/mcp/src/server.ts';
import { sampleJpeg } from '../../setup/images.ts';
import { type Service, startService } from '../../setup/service.ts';
import { folderOfFile } from '../../setup/temporary-folder.ts';
import { connectAssistant } from './assistant.ts';

let service: Service;
let worker: AsyncDisposable;
let env: Record<string, string>;
let account: Awaited<ReturnType<Service['client']>>;
const folder = folderOfFile();
const MAIN = join(import.meta.dirname, '../../../packages/mcp/src/main.ts');

beforeAll(async () => {
  service = await startService();
  const baseUrl = `${await service.app.listen({ host: '127.0.0.1', port: 0 })}/api`;
  worker = await service.startWorker();
  account = await service.client();
  env = { IMAGE_JOB_API_KEY: account.apiKey, IMAGE_JOB_BASE_URL: baseUrl, IMAGE_JOB_DIRS: folder };
  await writeFile(join(folder, 'room.jpg'), await sampleJpeg());
});
afterAll(async () => {
  await worker?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

const agreed = { action: 'accept' as const, content: { confirm: true } };
const expensive = { image: 'room.jpg', tool: '4k-upscale' };

test('over stdio, a photo is edited after the question about its price', async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--import', 'tsx', MAIN],
    env,
  });
  const { call, client } = await connectAssistant(transport, { elicit: () => agreed });
  const edited = await call('edit_photo', { ...expensive, output: 'stdio.jpg' });
  expect(edited).toMatchObject({
    isError: false,
    value: { images_charged: 2, file: join(folder, 'stdio.jpg') },
  });
  await client.close();
});

describe('over HTTP', () => {
  let http: HttpServer;
  beforeAll(async () => {
    const client = new ImageJobs({ apiKey: account.apiKey, baseUrl: env.IMAGE_JOB_BASE_URL ?? '' });
    const options = { client, version: '1.0.0', folders: [folder], imageOrigins: [], trustRoots: false };
    const guard = { origins: ['https://app.example.com'], token: 'secret' };
    http = await listen(0, guard, () => createServer(options));
  });
  afterAll(async () => http?.[Symbol.asyncDispose]());

  async function connect(headers: Record<string, string> = { Authorization: 'Bearer secret' }) {
    const transport = new StreamableHTTPClientTransport(new URL(http.url), { requestInit: { headers } });
    const assistant = await connectAssistant(transport as Transport, { elicit: () => agreed });
    onTestFinished(() => assistant.client.close());
    return { ...assistant, transport };
  }

  test('a photo is edited after the question about its price, with progress', async () => {
    const { call } = await connect();
    const progress: string[] = [];
    const edited = await call('edit_photo', expensive, (message) => progress.push(message));
    expect(edited).toMatchObject({ isError: false, value: { images_charged: 2 } });
    expect(progress).toContain('Sending the photo');
  });

  test('each session is its own, and ends', async () => {
    const [one, other] = [await connect(), await connect()];
    expect(one.transport.sessionId).not.toBe(other.transport.sessionId);
    await one.transport.terminateSession();
    await expect(one.call('account')).rejects.toThrow();
    expect((await other.call('account')).isError).toBe(false);
  });

  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };
  const own = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    Authorization: 'Bearer secret',
  };
  /** `fetch` sets Host itself. */
  const post = (headers: Record<string, string>, body: unknown = initialize, path = '/mcp') =>
    new Promise<{ status: number | undefined; session: string; body: string }>((resolve, reject) => {
      const sent = request(new URL(path, http.url), { method: 'POST', headers: { ...own, ...headers } });
      sent.on('error', reject).on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        const { statusCode: status, headers: received } = response;
        const session = received['mcp-session-id']?.toString() ?? '';
        response.on('end', () => resolve({ status, session, body: text }));
      });
      sent.end(JSON.stringify(body));
    });

  test.each<[string, Record<string, string>, number]>([
    ['of a page that may', { Origin: 'https://app.example.com' }, 200],
    ['under the name of the machine', { Host: 'localhost:1' }, 200],
    ['of another page', { Origin: 'https://evil.example' }, 403],
    ['of a page without an origin', { Origin: 'null' }, 403],
    ['under a name that points here', { Host: 'evil.example' }, 403],
    ['under a name that begins alike', { Host: '127.0.0.1.evil.example:80' }, 403],
    ['without the token', { Authorization: '' }, 401],
    ['with another token', { Authorization: 'Bearer secre' }, 401],
    ['of a session that does not exist', { 'Mcp-Session-Id': 'none' }, 404],
  ])('a request %s is answered %j %i', async (_what, headers, status) => {
    const response = await post(headers);
    expect(response.status).toBe(status);
    expect(response.body).not.toContain('secret');
  });

  test('of more than 100 sessions, the one that was idle longest ends', async () => {
    const [first, second] = [await post({}), await post({})];
    const ping = async ({ session }: typeof first) =>
      (await post({ 'Mcp-Session-Id': session }, { jsonrpc: '2.0', id: 2, method: 'ping' })).status;
    await Promise.all(Array.from({ length: 98 }, () => post({})));
    expect(await ping(first)).toBe(200);
    await post({});
    expect([await ping(first), await ping(second)]).toEqual([200, 404]);
  });

  test('a request without a session must begin one, at the endpoint', async () => {
    expect((await post({}, { jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).toBe(400);
    expect((await post({}, initialize, '/')).status).toBe(404);
  });
});
