import sharp from 'sharp';
import { fetch } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { textAt } from '../../lib/generators/upstream/json.ts';
import type { Reply } from '../lib/generators/upstreams/fake.ts';
import { GEMINI } from '../lib/generators/upstreams/gemini.ts';
import { OPENAI } from '../lib/generators/upstreams/openai.ts';
import { jpegColourAt, QUARTERS, quarters } from '../lib/imaging/images.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import type { Service } from '../setup/service.ts';
import { openWithUpstreams } from '../setup/upstream-service.ts';
import type { Upstreams } from '../setup/upstreams.ts';

const TOOLS = { gemini: 'declutter', openai: 'wall-color-change' } as const;
/** Width of the frame around the input, as a share of its shorter side. */
const FRAME = 0.08;
const FRAME_COLOUR = [250, 240, 20] as const;

const open = closers();
let upstreams: Upstreams;
let service: Service;

beforeAll(async () => {
  const orders = { GENERATORS: 'gemini', GENERATORS_FOR_INTERIOR: 'openai' };
  ({ upstreams, service } = await openWithUpstreams(open, orders));
  open.use(await service.startWorker());
});
afterAll(() => open.close());

/** Quarters within a frame: mirrored edges would make it twice as wide. */
async function framed(width: number, height: number): Promise<string> {
  const frame = Math.round(FRAME * Math.min(width, height));
  const [r, g, b] = FRAME_COLOUR;
  const inner = await quarters(width - 2 * frame, height - 2 * frame)
    .png()
    .toBuffer();
  const outer = sharp({ create: { width, height, channels: 3, background: { r, g, b } } });
  const image = await outer
    .composite([{ input: inner }])
    .jpeg({ quality: 95 })
    .toBuffer();
  return image.toString('base64');
}

/** The photo in what an upstream has received, and the size that it was asked for. */
const RECEIVED = {
  gemini(body: Buffer) {
    const json: unknown = JSON.parse(body.toString());
    const image = Buffer.from(textAt(json, 'contents.*.parts.*.inlineData.data') ?? '', 'base64');
    return { image, asked: textAt(json, 'generationConfig.imageConfig.aspectRatio') };
  },
  openai(body: Buffer) {
    const image = body.subarray(
      body.indexOf(Buffer.from([0xff, 0xd8, 0xff])),
      body.lastIndexOf('\r\n--') + 2,
    );
    return { image, asked: /name="size"\r\n\r\n(\d+x\d+)/.exec(body.toString('latin1'))?.[1] };
  },
};
const REPLIES = { gemini: GEMINI.replies, openai: OPENAI.replies };

interface Sent {
  width: number;
  height: number;
  asked: string | undefined;
}

/** Edits what it receives, and returns it at a size of its own: as a negative. */
function editsAt(name: keyof typeof TOOLS, [width, height]: readonly [number, number], sent: Sent[]): Reply {
  const { server } = upstreams.of(name);
  return async (_request, response) => {
    const { image, asked } = RECEIVED[name](server.seen.at(-1)?.body ?? Buffer.alloc(0));
    const { width: sentWidth, height: sentHeight } = await sharp(image).metadata();
    sent.push({ width: sentWidth, height: sentHeight, asked });
    const edited = await sharp(image).resize({ width, height, fit: 'fill' }).negate().jpeg().toBuffer();
    const { submit } = REPLIES[name]({ server: '', results: '', image: edited });
    if (typeof submit !== 'function') response.end(JSON.stringify(submit.json));
  };
}

async function run(name: keyof typeof TOOLS, width: number, height: number) {
  const client = await service.client(10);
  const body = { tool: TOOLS[name], image_base64: await framed(width, height) };
  const created = await postJob(service.app, client.headers, body);
  const job = await ended(service.app, client.headers, created.json().job_id);
  const { balance } = await service.stores.accounts.get(client.accountId);
  return { job, balance };
}

const negative = (colour: readonly number[]) => colour.map((value) => 255 - value);

/** The frame is as wide as in the input on all sides, and the quarters are where they were. */
async function expectWholePhoto(result: Buffer, width: number, height: number) {
  const [x, y] = [(FRAME * Math.min(width, height)) / width, (FRAME * Math.min(width, height)) / height];
  const [near, far] = [0.6, 1.4];
  const places: [number, number, readonly number[]][] = [
    [near * x, 0.5, FRAME_COLOUR],
    [1 - near * x, 0.5, FRAME_COLOUR],
    [0.5, near * y, FRAME_COLOUR],
    [0.5, 1 - near * y, FRAME_COLOUR],
    [far * x, far * y, QUARTERS.topLeft],
    [1 - far * x, far * y, QUARTERS.topRight],
    [far * x, 1 - far * y, QUARTERS.bottomLeft],
    [1 - far * x, 1 - far * y, QUARTERS.bottomRight],
    [0.48, 0.48, QUARTERS.topLeft],
    [0.52, 0.52, QUARTERS.bottomRight],
  ];
  for (const [across, down, expected] of places) {
    const colour = await jpegColourAt(result, across, down);
    negative(expected).forEach((value, channel) => {
      expect(Math.abs((colour[channel] ?? 0) - value), `at ${across}, ${down}`).toBeLessThan(40);
    });
  }
}

describe('a photo of a ratio that the upstream does not make', () => {
  test.each([
    { name: 'gemini', width: 1200, height: 600, asked: '16:9', returns: [2752, 1536], result: [2048, 1024] },
    { name: 'gemini', width: 400, height: 1200, asked: '1:4', returns: [1024, 4096], result: [683, 2048] },
    { name: 'gemini', width: 1200, height: 140, asked: '8:1', returns: [4096, 512], result: [2048, 239] },
    {
      name: 'openai',
      width: 1200,
      height: 600,
      asked: '2048x1024',
      returns: [2048, 1024],
      result: [2048, 1024],
    },
    {
      name: 'openai',
      width: 400,
      height: 1200,
      asked: '672x2016',
      returns: [672, 2016],
      result: [683, 2048],
    },
  ] as const)(
    '$width x $height comes back whole from $name, in its own ratio and without a border',
    async ({ name, width, height, asked, returns, result }) => {
      const sent: Sent[] = [];
      upstreams.of(name).replies.submit = editsAt(name, returns, sent);
      const { job } = await run(name, width, height);

      expect([job.error, job.status]).toEqual([null, 'completed']);
      expect(sent).toMatchObject([{ asked }]);
      const [across = 1, down = 1] = asked.split(/[:x]/).map(Number);
      const [{ width: sentWidth, height: sentHeight } = { width: 1, height: 1 }] = sent;
      expect(Math.abs(Math.log(sentWidth / sentHeight / (across / down)))).toBeLessThan(0.02);
      const bytes = Buffer.from(await (await fetch(job.result_urls[0] ?? '')).arrayBuffer());
      expect(await sharp(bytes).metadata()).toMatchObject({ width: result[0], height: result[1] });
      await expectWholePhoto(bytes, width, height);
    },
  );

  test('is refunded when nobody makes it, and no call is made', async () => {
    upstreams.of('openai').clear();
    const { job, balance } = await run('openai', 1200, 300);
    expect([job.status, job.error, balance]).toEqual([
      'failed',
      'The image model could not use the image. Try another file or size. The charge was refunded.',
      60,
    ]);
    expect(upstreams.of('openai').submissions()).toBe(0);
  });
});
