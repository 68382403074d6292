import sharp, { type Sharp } from 'sharp';
import { fetch } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jpegColourAt, QUARTERS, quarters } from '../lib/imaging/images.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import type { Service } from '../setup/service.ts';
import { openWithUpstreams } from '../setup/upstream-service.ts';
import type { Upstreams } from '../setup/upstreams.ts';

const INPUT = { width: 300, height: 200 };
/** The longest side of a 2K result is 2048. */
const RESULT = { width: 2048, height: 1365 };

const open = closers();
let upstreams: Upstreams;
let service: Service;

beforeAll(async () => {
  ({ upstreams, service } = await openWithUpstreams(open, { GENERATORS: 'gemini' }));
  open.use(await service.startWorker());
});
afterAll(() => open.close());

/** All that an upstream knows of the input: without the colours that its encoding has lost at the edges. */
const sent = await quarters(INPUT.width, INPUT.height).jpeg().toBuffer();
const input = (width = INPUT.width, height = INPUT.height) => quarters(width, height);
const flat = (background: string, { width, height } = INPUT) =>
  sharp({ create: { width, height, channels: 3, background } });

/** A job without a watermark whose upstream returns this image. */
async function run(returned: Sharp | Buffer, tool = 'declutter') {
  const client = await service.client(10);
  upstreams.of('gemini').returns(Buffer.isBuffer(returned) ? returned : await returned.png().toBuffer());
  const image_base64 = sent.toString('base64');
  const created = await postJob(service.app, client.headers, { tool, image_base64 });
  const job = await ended(service.app, client.headers, created.json().job_id);
  const [call] = await service.stores.generatorCalls.list(job.job_id);
  const { balance } = await service.stores.accounts.get(client.accountId);
  return { job, call, balance };
}

async function resultOf({ job }: Awaited<ReturnType<typeof run>>): Promise<Buffer> {
  expect(job.error).toBeNull();
  const response = await fetch(job.result_urls[0] ?? '');
  return Buffer.from(await response.arrayBuffer());
}

describe('an image that cannot be used is refused and refunded', () => {
  test.each([
    ['its ratio differs by 10 %', 'ratio', () => input(330, 200).negate()],
    ['it is black', 'flat', () => flat('#000000')],
    ['it is grey', 'flat', () => flat('#777777')],
    ['it is the input', 'unchanged', () => sent],
    ['it is the input, larger', 'unchanged', () => sharp(sent).resize(1200, 800)],
    ['it does not decode', 'undecodable', () => Buffer.from('<html>Not found</html>')],
  ])('when %s', async (_, problem, make) => {
    const { job, call, balance } = await run(make());

    expect([job.status, job.error]).toEqual([
      'failed',
      'The image model returned no usable image. The charge was refunded.',
    ]);
    expect(call).toMatchObject({ outcome: 'refused', reason: 'no_result', mayBeCharged: true });
    expect(call?.error).toContain(problem);
    expect(balance).toBe(60);
  });
});

describe('an image that can be used', () => {
  test('may be the input for a tool that promises no change', async () => {
    const { job } = await run(input(), 'noise-reduction');
    expect(job.status).toBe('completed');
  });

  test('is scaled up to the size of the result when it is smaller', async () => {
    const job = await run(input(288, 192).negate());
    expect(await sharp(await resultOf(job)).metadata()).toMatchObject(RESULT);
    expect(job.call?.edgeRecall).toBeGreaterThan(0.7);
  });

  test('is cropped to exactly the ratio of the input when it is 6 % wider', async () => {
    const inner = await input(1200, 800).negate().png().toBuffer();
    const wider = { width: 1272, height: 800 };
    const bytes = await resultOf(await run(flat('#ffff00', wider).composite([{ input: inner }])));

    expect(await sharp(bytes).metadata()).toMatchObject(RESULT);
    // The surplus, 36 yellow pixels on each side, is gone; the corner is the negative of the input's.
    for (const [x, inverted] of [
      [0.002, QUARTERS.topLeft],
      [0.998, QUARTERS.topRight],
    ] as const) {
      const colour = await jpegColourAt(bytes, x, 0.1);
      inverted.forEach((value, channel) => {
        expect(Math.abs((colour[channel] ?? 0) - (255 - value))).toBeLessThan(25);
      });
    }
  });

  test('is scaled to exactly the ratio of the input when it is 2 % higher', async () => {
    const bytes = await resultOf(await run(input(300, 204).negate()));
    expect(await sharp(bytes).metadata()).toMatchObject(RESULT);
  });
});
