import type { IncomingMessage, ServerResponse } from 'node:http';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../lib/contract/errors.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { INNER_LITERALS, INNER_NAMES } from '../lib/egress/hosts.ts';
import { type Served, serveHttp, serveTcp } from '../lib/egress/servers.ts';
import { postJob } from '../setup/client.ts';
import { sampleJpeg } from '../setup/images.ts';
import { type Service, startService } from '../setup/service.ts';
import { storingGateway } from './gateway.ts';
import { error, expectError, outcome } from './responses.ts';

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

let service: Service;
let images: Served;
let broken: Served;
let jpeg: Buffer;
let webp: Buffer;
let respond: Respond;
let gateway: ReturnType<typeof storingGateway>;
let headers: Record<string, string>;

beforeAll(async () => {
  jpeg = await sampleJpeg();
  webp = await sharp(jpeg).webp().toBuffer();
  images = await serveHttp((request, response) => respond(request, response));
  broken = await serveTcp((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nshort'));
  gateway = storingGateway({ accept: (draft) => service.stores.jobs.accept(draft) });
  service = await startService({
    env: { EGRESS_ALLOW_ORIGINS: `${images.origin},${broken.origin}` },
    api: { jobGateway: gateway },
  });
  headers = (await service.client()).headers;
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await Promise.all([images?.[Symbol.asyncDispose](), broken?.[Symbol.asyncDispose]()]);
});

const give =
  (type: string | undefined, bytes: Buffer = jpeg, status = 200): Respond =>
  (_request, response) => {
    response.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(bytes);
  };
/** Redirects `/3` to `/2` and so on; `/0` is the image. */
const redirects: Respond = (request, response) => {
  const left = Number(request.url?.slice(1));
  if (left === 0) give('image/jpeg')(request, response);
  else response.writeHead(302, { location: `/${left - 1}` }).end();
};
const post = (image_url: string) => postJob(service.app, headers, { tool: 'declutter', image_url });
async function fetched(serve: Respond, path = '/a.jpg') {
  respond = serve;
  return post(`${images.origin}${path}`);
}
const credits = async () =>
  (await service.app.inject({ url: '/api/v1/account', headers })).json().image_credits;
/** Checks an error response, and that only the accepted requests of this file were charged. */
async function refused(response: Awaited<ReturnType<typeof post>>, code: ErrorCode) {
  expectError(response, code, service.config.api.publicUrl);
  expect(await credits()).toBe(50 - gateway.asked.length);
}

describe('an image that can be fetched', () => {
  test.each<[type: string, bytes: () => Buffer, format: string]>([
    ['image/jpeg', () => jpeg, 'jpeg'],
    ['image/jpg', () => jpeg, 'jpeg'],
    ['IMAGE/PNG; charset=binary', () => jpeg, 'png'],
    ['image/png', () => webp, 'png'],
    ['image/webp', () => webp, 'webp'],
    ['image/webp', () => jpeg, 'webp'],
    ['image/x-anything', () => webp, 'webp'],
  ])('as %s is stored in the format its type names', async (type, bytes, format) => {
    expect(outcome(await fetched(give(type, bytes())))).toBe('201');
    const { draft, format: asked } = gateway.asked.at(-1) ?? { draft: { input: { key: '' } }, format: '' };
    expect([asked, draft.input.key]).toEqual([format, expect.stringMatching(new RegExp(`\\.${format}$`))]);
    expect(await service.images.getInput(draft.input.key)).toEqual(bytes());
  });

  test('may be behind up to three redirects', async () => {
    expect(outcome(await fetched(redirects, '/3'))).toBe('201');
    await refused(await fetched(redirects, '/4'), 'image_fetch_failed');
  });

  test('may have up to 20 MB', async () => {
    const padded = (length: number) => Buffer.concat([jpeg, Buffer.alloc(length - jpeg.length)]);
    expect(outcome(await fetched(give('image/jpeg', padded(LIMITS.imageBytes))))).toBe('201');
    await refused(await fetched(give('image/jpeg', padded(LIMITS.imageBytes + 1))), 'invalid_image');
  });

  test('must be a supported format by its bytes', async () => {
    const gif = Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1');
    await refused(await fetched(give('image/gif', gif)), 'invalid_image');
    await refused(await fetched(give('image/jpeg', gif)), 'invalid_image');
    await refused(await fetched(give('image/svg+xml', Buffer.from('<svg/>'))), 'invalid_image');
    await refused(await fetched(give('image/jpeg', Buffer.alloc(0))), 'invalid_image');
    const endless: Respond = (_request, response) => {
      response.writeHead(200, { 'content-type': 'image/jpeg' }).write(Buffer.alloc(1000));
    };
    await refused(await fetched(endless), 'invalid_image');
  });
});

describe('image_fetch_failed', () => {
  test.each([301, 304, 400, 401, 404, 410, 429, 500, 503])('status %i', async (status) => {
    await refused(await fetched(give('image/jpeg', jpeg, status)), 'image_fetch_failed');
  });

  test.each([
    'text/html',
    'application/octet-stream',
    'application/json',
    'images/jpeg',
    'image',
    '',
    undefined,
  ])('Content-Type %s', async (type) => refused(await fetched(give(type)), 'image_fetch_failed'));

  test.each([
    'https://127.0.0.1/a.jpg',
    'http://example.com/a.jpg',
    'http://127.0.0.1:1/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://169.254.169.254/latest/meta-data/',
    'https:///',
    '',
  ])('a redirect to %j', async (location) => {
    const redirect: Respond = (_request, response) => void response.writeHead(302, { location }).end();
    await refused(await fetched(redirect), 'image_fetch_failed');
  });

  test('a redirect loop', async () => {
    const loop: Respond = (_request, response) => void response.writeHead(307, { location: '/' }).end();
    await refused(await fetched(loop), 'image_fetch_failed');
  });

  test('a truncated or an encoded body', async () => {
    await refused(await post(`${broken.origin}/a.jpg`), 'image_fetch_failed');
    const encoded: Respond = (_request, response) => {
      response.writeHead(200, { 'content-type': 'image/jpeg', 'content-encoding': 'gzip' }).end(jpeg);
    };
    await refused(await fetched(encoded), 'image_fetch_failed');
  });

  test('a fetch that takes longer than 10 seconds', async () => {
    const drip: Respond = (_request, response) => {
      response.writeHead(200, { 'content-type': 'image/jpeg' });
      const timer = setInterval(() => response.write('x'), 100);
      response.on('close', () => clearInterval(timer));
    };
    await refused(await fetched(drip), 'image_fetch_failed');
  });

  test.each([...INNER_LITERALS, ...INNER_NAMES].filter((_host, n) => n % 3 === 0))(
    'host %s',
    async (host) => {
      await refused(await post(`https://${host}/a.jpg`), 'image_fetch_failed');
    },
  );

  test.each([
    '',
    ' ',
    'a.jpg',
    '/a.jpg',
    '//example.com/a.jpg',
    'https://',
    'http://example.com/a.jpg',
    'ftp://example.com/a.jpg',
    'data:image/png;base64,AAAA',
    'https://user:secret@example.com/a.jpg',
    'https://example.com:99999/',
    'https://exa mple.com/',
    'https://\0.com/',
    'https://[::1/',
    '\u0000',
    '😀',
  ])('the URL %j', async (url) => refused(await post(url), 'image_fetch_failed'));

  test('has a message without addresses and internal errors', async () => {
    const urls = [`${broken.origin}/`, 'https://127.0.0.1/', 'https://metadata.google.internal/'];
    for (const url of urls)
      expect((await post(url)).json().error.message).not.toMatch(/\d+\.\d+\.\d+|ECONN|undici|UND_/);
  });
});

test('a URL may have up to 2000 characters', async () => {
  const long = (length: number) => `${images.origin}/`.padEnd(length, 'a');
  respond = give('image/jpeg');
  expect(outcome(await post(long(LIMITS.urlLength)))).toBe('201');
  expect(outcome(await post(long(LIMITS.urlLength + 1)))).toBe(error('invalid_request'));
});
