import { describe, expect, it } from 'vitest';
import { sampleJpeg } from '../../../setup/images.ts';
import { startBfl } from './bfl.ts';
import { type FakeWithAdapter, type Reply, renderOf } from './fake.ts';
import { startFal } from './fal.ts';
import { GEMINI, startGemini } from './gemini.ts';
import { OPENAI, startOpenai } from './openai.ts';
import { startReplicate } from './replicate.ts';

const render = async ({ generator }: FakeWithAdapter) => generator.render(await renderOf());

/** The same reply with other addresses in its JSON. */
function withAddress(reply: Reply, from: string, to: string): Reply {
  if (typeof reply === 'function') throw new Error('The reply has no JSON.');
  return { ...reply, json: JSON.parse(JSON.stringify(reply.json).replaceAll(from, to)) };
}

describe.each([
  ['bfl', startBfl],
  ['replicate', startReplicate],
  ['fal', startFal],
] as const)('a result of %s', (_name, start) => {
  it.each([
    ['on a private network', 'https://10.0.0.1'],
    ['on this machine', 'http://127.0.0.1:1'],
    ['in a file', 'file:///etc'],
    ['with a password', 'https://a:b@example.com'],
    ['in the URL itself', 'data:image/png;base64,iVBORw0KGgo='],
    ['at an address that is no URL', 'nonsense'],
  ])('%s ends the task, which may have been charged, at once', async (_, address) => {
    await using fake = await start();
    fake.replies.poll = withAddress(fake.replies.poll, fake.results.origin, address);

    await expect(render(fake)).rejects.toMatchObject({
      failure: { kind: 'refused', reason: 'no_result' },
      mayBeCharged: true,
    });
    expect([fake.submissions(), fake.results.seen]).toEqual([1, []]);
  });

  const ends: [string, Reply][] = [
    ['to a link-local address', { status: 302, headers: { location: 'http://169.254.169.254/latest' } }],
    ['in a circle', { status: 302, headers: { location: '/r.jpg' } }],
  ];
  it.each(ends)('that redirects %s ends it too', async (_, reply) => {
    await using fake = await start();
    fake.replies.result = reply;
    await expect(render(fake)).rejects.toMatchObject({ failure: { reason: 'no_result' } });
  });

  it.each([
    ['is larger than any image', { 'content-length': String(41 * 1024 * 1024) }],
    ['is encoded', { 'content-encoding': 'gzip' }],
  ])('that %s is not read', async (_, headers: Record<string, string>) => {
    await using fake = await start();
    fake.replies.result = (_request, response) => void response.writeHead(200, headers).write('x');
    await expect(render(fake)).rejects.toMatchObject({ failure: { reason: 'no_result' } });
    expect(fake.results.seen).toHaveLength(1);
  });
});

describe.each([
  ['bfl', startBfl],
  ['fal', startFal],
] as const)('a task of %s', (_name, start) => {
  it('at a private address is given up, because it may have been charged and nobody can look at it', async () => {
    await using fake = await start();
    fake.replies.submit = withAddress(fake.replies.submit, fake.server.origin, 'http://10.0.0.1');
    await expect(render(fake)).rejects.toMatchObject({
      failure: { kind: 'unavailable' },
      mayBeCharged: true,
    });
    expect(fake.submissions()).toBe(1);
  });
});

it('a task of replicate may say back the image that it was sent', async () => {
  await using fake = await startReplicate();
  const input = { image: `data:image/jpeg;base64,${Buffer.alloc(8_000_000, 1).toString('base64')}` };
  for (const step of ['submit', 'poll'] as const) {
    const reply = fake.replies[step];
    if (typeof reply !== 'function')
      fake.replies[step] = { ...reply, json: { ...Object(reply.json), input } };
  }
  expect((await render(fake)).bytes.length).toBeGreaterThan(100);
});

describe.each([
  ['gemini', startGemini, GEMINI],
  ['openai', startOpenai, OPENAI],
] as const)('the base64 of %s', (_name, start, { replies }) => {
  it.each([
    ['has line breaks', (text: string) => text.replace(/.{76}/g, '$&\r\n')],
    [
      'is that of a URL',
      (text: string) => text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
    ],
    ['is a data URI', (text: string) => `data:image/jpeg;base64,${text}`],
  ])('is read when it %s', async (_, written) => {
    await using fake = await start();
    const image = await sampleJpeg(96, 64, '#a02040');
    const { submit } = replies({ server: '', results: '', image });
    const encoded = JSON.stringify(image.toString('base64'));
    if (typeof submit === 'function') throw new Error('The reply has no JSON.');
    const text = JSON.stringify(submit.json).replace(
      encoded,
      JSON.stringify(written(image.toString('base64'))),
    );
    fake.replies.submit = { status: 200, bytes: Buffer.from(text) };
    expect((await render(fake)).bytes.equals(image)).toBe(true);
  });
});

describe.each([
  [503, 'runner_disconnected'],
  [504, 'startup_timeout'],
  [500, undefined],
])('a task of fal that has ended with %i', (status, error_type) => {
  it('has failed: it is looked at once, and may be charged', async () => {
    await using fake = await startFal();
    fake.replies.poll = { status, json: { detail: 'm', error_type } };
    await expect(render(fake)).rejects.toMatchObject({
      failure: { kind: 'unavailable' },
      mayBeCharged: true,
    });
    const looks = fake.server.seen.filter(({ path }) => path.endsWith('/q1'));
    expect([fake.submissions(), looks.length]).toEqual([1, 1]);
  });
});

describe.each([
  ['gemini', startGemini],
  ['openai', startOpenai],
] as const)('a response of %s', (_name, start) => {
  it('that is longer than announced is read to the announced length', async () => {
    await using fake = await start();
    const { submit } = fake.replies;
    const text = JSON.stringify(typeof submit === 'function' ? {} : submit.json);
    fake.replies.submit = ({ socket }) =>
      void socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}${text}`);
    expect((await render(fake)).bytes.length).toBeGreaterThan(100);
    expect(fake.submissions()).toBe(1);
  });

  it('that comes after the abort is ignored', async () => {
    await using fake = await start();
    const controller = new AbortController();
    const reason = new Error('the worker stops');
    const { submit } = fake.replies;
    fake.replies.submit = (_request, response) => {
      controller.abort(reason);
      response.end(JSON.stringify(typeof submit === 'function' ? {} : submit.json));
    };
    const render = await renderOf({ signal: controller.signal });
    await expect(fake.generator.render(render)).rejects.toBe(reason);
    expect(fake.submissions()).toBe(1);
  });
});
