import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EXPENSIVE, REFUSED } from '../../dev/bench/hostile/hostile-images.ts';
import { greyProgressiveJpeg } from '../../dev/bench/hostile/jpeg.ts';
import { blackPng } from '../../dev/bench/hostile/png.ts';
import { plainLossless, webp } from '../../dev/bench/hostile/webp.ts';
import type { Reply } from '../lib/generators/upstreams/fake.ts';
import { noise, quarters } from '../lib/imaging/images.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { sampleJpeg } from '../setup/images.ts';
import type { Service } from '../setup/service.ts';
import { openWithUpstreams } from '../setup/upstream-service.ts';
import type { Upstreams } from '../setup/upstreams.ts';

const MB = 1024 * 1024;
const INPUT = { width: 1200, height: 800 };
/** 100 megapixels in the input's ratio. */
const HUGE = { width: 12_240, height: 8160 };
const NOT_USABLE = 'The image model returned no usable image. The charge was refunded.';
const NOT_GENERATED = 'The image could not be generated. The charge was refunded.';

const open = closers();
let upstreams: Upstreams;
let service: Service;
let image_base64: string;

beforeAll(async () => {
  const orders = { GENERATORS: 'gemini', GENERATORS_FOR_INTERIOR: 'bfl', GENERATORS_FOR_EXTERIOR: 'openai' };
  ({ upstreams, service } = await openWithUpstreams(open, { ...orders, RENDER_SLOTS: '8' }));
  open.use(await service.startWorker());
  image_base64 = (await quarters(INPUT.width, INPUT.height).jpeg().toBuffer()).toString('base64');
});
beforeEach(async () => {
  upstreams.all((fake) => fake.clear());
  upstreams.of('openai').returns(await negative().jpeg().toBuffer());
});
afterAll(() => open.close());

const negative = () => quarters(INPUT.width, INPUT.height).negate();

const [GEMINI, BFL, HONEST] = ['declutter', 'wall-color-change', 'roof-replacement'];

/** A job of a client without packs: 50 images before it, and after it if it was refunded. */
async function run(tool = GEMINI) {
  const client = await service.client();
  const created = await postJob(service.app, client.headers, { tool, image_base64 });
  const job = await ended(service.app, client.headers, created.json().job_id);
  const { balance } = await service.stores.accounts.get(client.accountId);
  return { job, balance, calls: await service.stores.generatorCalls.list(job.job_id) };
}

/** A job for hostile results, while another client's goes on elsewhere. */
async function runBesideHonest(tool = GEMINI) {
  const [hostile, honest] = await Promise.all([run(tool), run(HONEST)]);
  expect(honest.job.error).toBeNull();
  return hostile;
}

const text = (content: string) => async () => Buffer.from(content);
const cutOff = async () => (await noise(INPUT.width, INPUT.height).jpeg().toBuffer()).subarray(0, 50_000);

describe('an image that attacks its decoder is refused after one call, and refunded', () => {
  const attacks: [string, () => Buffer | Promise<Buffer>][] = [
    ['one colour, 100 megapixels', () => blackPng({ ...HUGE, colour: 'grey', depth: 8 })],
    [
      '100 megapixels, interlaced, of 16 bits',
      () => blackPng({ ...HUGE, colour: 'rgb', depth: 16, interlaced: true }),
    ],
    ['100 megapixels in 100 scans', () => greyProgressiveJpeg({ ...HUGE, scans: 100, components: 3 })],
    ['100 megapixels in a WebP of 28 bytes', () => webp(plainLossless(HUGE.width, HUGE.height))],
    ...['JPEG of 883 scans', 'PNG of 200000x8 pixels', 'animated WebP of 20 MB', 'JPEG with two headers'].map(
      (name): [string, () => Buffer | Promise<Buffer>] => [name, REFUSED[name] ?? text('')],
    ),
    ['PNG with 800 MB of text', EXPENSIVE['PNG with 800 MB of text in 100 KB'] ?? text('')],
    ['an AVIF', () => noise().avif().toBuffer()],
    ['an animated GIF', () => noise().gif().toBuffer()],
    ['an SVG', text('<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="800"/>')],
    ['JSON', text('{"error":"no"}')],
    ['a cut JPEG', cutOff],
    ['nothing', text('')],
  ];
  test.each(attacks)('%s', async (_, make) => {
    upstreams.of('gemini').returns(await make());
    const { job, balance, calls } = await runBesideHonest();

    expect([job.status, job.error, balance]).toEqual(['failed', NOT_USABLE, 50]);
    expect(calls).toMatchObject([{ outcome: 'refused', reason: 'no_result', mayBeCharged: true }]);
    expect(upstreams.submissions()).toMatchObject({ gemini: 1 });
  });
});

describe('an unusual image is converted', () => {
  test.each([
    [
      'CMYK',
      async () =>
        sharp(await negative().png().toBuffer())
          .toColourspace('cmyk')
          .jpeg()
          .toBuffer(),
    ],
    ['16 bits', () => negative().toColourspace('rgb16').png().toBuffer()],
    ['a colour profile', () => negative().withIccProfile('p3').jpeg().toBuffer()],
    ['an orientation', () => negative().rotate(270).jpeg().withMetadata({ orientation: 6 }).toBuffer()],
    ['a palette', () => negative().png({ palette: true }).toBuffer()],
    ['grey', () => negative().greyscale().jpeg().toBuffer()],
  ])('%s', async (_, make) => {
    upstreams.of('gemini').returns(await make());
    const { job } = await run();
    expect([job.error, job.status]).toEqual([null, 'completed']);
  });
});

describe('a response that does not end as it should costs two calls, and is refunded', () => {
  const endless = (chunk: string): Reply => {
    return (_request, { socket }) => {
      const write = () => {
        while (socket !== null && !socket.destroyed && socket.write(chunk));
      };
      socket?.on('error', () => {}).on('drain', write);
      write();
    };
  };
  const OK = 'HTTP/1.1 200 OK\r\n';
  test.each<[string, Reply]>([
    ['70 MB of base64', { status: 200, bytes: Buffer.alloc(70 * MB, 'QUJD') }],
    ['compressed', { status: 200, bytes: Buffer.from('{}'), headers: { 'content-encoding': 'gzip' } }],
    ['endless headers', endless(`${OK}${'x: y\r\n'.repeat(1000)}`)],
    ['chunks of a byte', endless(`${OK}transfer-encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(5000)}`)],
  ])('%s', async (_, reply) => {
    upstreams.of('gemini').replies.submit = reply;
    const { job, balance } = await runBesideHonest();

    expect([job.status, job.error, balance]).toEqual(['failed', NOT_GENERATED, 50]);
    expect(upstreams.submissions()).toMatchObject({ gemini: 2 });

    // Keeps the circuit breaker closed for the next one.
    upstreams.of('gemini').returns(await negative().jpeg().toBuffer());
    expect((await run()).job.status).toBe('completed');
  });
});

describe('a result that is named, and cannot be had, ends the job after one submission', () => {
  const ready = (sample: string): Reply => ({ status: 200, json: { status: 'Ready', result: { sample } } });
  test.each([
    ['on a private network', 'https://10.1.2.3/r.jpg'],
    ['the metadata of a cloud', 'http://169.254.169.254/latest/meta-data'],
    ['a file', 'file:///etc/passwd'],
  ])('%s', async (_, address) => {
    const bfl = upstreams.of('bfl');
    bfl.returns(await sampleJpeg());
    bfl.replies.poll = ready(address);
    const { job, balance } = await runBesideHonest(BFL);

    expect([job.status, job.error, balance]).toEqual(['failed', NOT_USABLE, 50]);
    expect(bfl.submissions()).toBe(1);
  });

  test('one that redirects to a private address', async () => {
    const bfl = upstreams.of('bfl');
    bfl.returns(await sampleJpeg());
    bfl.replies.result = { status: 302, headers: { location: 'https://169.254.169.254/' } };
    const { job } = await runBesideHonest(BFL);
    expect([job.error, bfl.submissions()]).toEqual([NOT_USABLE, 1]);
  });

  test('a web page of the type image/jpeg', async () => {
    const bfl = upstreams.of('bfl');
    bfl.returns(Buffer.from('<html>Sign in</html>'));
    const { job } = await runBesideHonest(BFL);
    expect([job.error, bfl.submissions()]).toEqual([NOT_USABLE, 1]);
  });
});

test('of two results one is used', async () => {
  const data = (await negative().jpeg().toBuffer()).toString('base64');
  const part = { inlineData: { mimeType: 'image/jpeg', data } };
  const json = { candidates: [{ content: { parts: [part, part] } }] };
  upstreams.of('gemini').replies.submit = { status: 200, json };
  const { job } = await run();
  expect([job.error, job.result_urls.length]).toEqual([null, 1]);
});
