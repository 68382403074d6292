import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { prepareInput } from '../../../lib/imaging/prepare.ts';
import { finishUpstream, type UpstreamFinishOptions } from '../../../lib/imaging/upstream-result.ts';
import { jpegColourAt, noise, pngClaiming, QUARTERS, quarters } from './images.ts';
import { drawRoom, zoom } from './rooms.ts';

let rooms: Record<'empty' | 'furnished', Buffer>;

beforeAll(async () => {
  rooms = { empty: await drawRoom(), furnished: await drawRoom({ furnished: true }) };
});

/** Finishes what an upstream returned for an input. */
async function finish(input: Buffer, returned: Buffer, changes: Partial<UpstreamFinishOptions> = {}) {
  const { inputSize, reference, width, height, content } = await prepareInput(input, {
    longestSideAtMost: 2048,
  });
  return finishUpstream(returned, {
    format: 'png',
    longestSide: 600,
    neverSmaller: false,
    watermark: null,
    inputSize,
    sent: { width, height, content },
    reference,
    checks: { mustChange: true, minEdgeRecall: null },
    ...changes,
  });
}
const flat = (background: string) =>
  sharp({ create: { width: 1200, height: 800, channels: 3, background } })
    .png()
    .toBuffer();

describe('the image of an upstream', () => {
  test('is finished at the size and in the ratio of the input, with the share of edges that it kept', async () => {
    expect(await finish(rooms.empty, rooms.furnished)).toMatchObject({
      ok: true,
      width: 600,
      height: 400,
      edgeRecall: expect.closeTo(0.9, 1),
    });
  });

  test.each([
    ['undecodable', 'is a web page', async () => Buffer.from('<html>')],
    ['undecodable', 'is nothing', async () => Buffer.alloc(0)],
    ['undecodable', 'is cut off', async () => (await noise(300, 200).png().toBuffer()).subarray(0, 20_000)],
    ['undecodable', 'claims 2,500 megapixels', async () => pngClaiming(50_000, 50_000)],
    ['thumbnail', 'has 3 x 2 pixels', () => sharp(rooms.furnished).resize(3, 2).png().toBuffer()],
    ['thumbnail', 'has 192 x 128 pixels', () => sharp(rooms.furnished).resize(192).png().toBuffer()],
    ['ratio', 'is square', () => sharp(rooms.furnished).resize(800, 800, { fit: 'fill' }).png().toBuffer()],
    ['ratio', 'is turned', () => sharp(rooms.furnished).rotate(90).png().toBuffer()],
    ['flat', 'is black', () => flat('#000000')],
    ['flat', 'is white', () => flat('#ffffff')],
    ['unchanged', 'is the input', async () => rooms.empty],
    ['unchanged', 'is the input as JPEG', () => sharp(rooms.empty).jpeg({ quality: 50 }).toBuffer()],
  ] as const)('has the problem "%s" when it %s', async (problem, _, make) => {
    expect(await finish(rooms.empty, await make())).toMatchObject({ ok: false, problem });
  });

  test('may be the input where the tool promises no change', async () => {
    const checks = { mustChange: false, minEdgeRecall: null };
    expect(await finish(rooms.empty, rooms.empty, { checks })).toMatchObject({ ok: true, edgeRecall: 1 });
  });

  test('may be flat when the input is', async () => {
    expect(await finish(await flat('#777777'), await flat('#222222'))).toMatchObject({ ok: true });
  });

  test('is refused for its edges only where the tool asks for them', async () => {
    const moved = await zoom(rooms.empty, 1.1);
    expect(await finish(rooms.empty, moved)).toMatchObject({ ok: true });
    const checks = { mustChange: true, minEdgeRecall: 0.95 };
    const refused = await finish(rooms.empty, moved, { checks });
    expect(refused).toMatchObject({ ok: false, problem: 'edges' });
    expect(refused.edgeRecall).toBeLessThan(0.8);
  });

  test('is turned upright before its ratio is compared and its edges are cut', async () => {
    const input = await quarters(300, 200).png().toBuffer();
    const upright = quarters(318, 200).negate();
    // Stored turned to the left, with the EXIF orientation that turns it back.
    const stored = await upright
      .rotate(270)
      .jpeg({ quality: 100 })
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const finished = await finish(input, stored);
    if (!finished.ok) throw new Error(finished.problem);
    expect(finished).toMatchObject({ width: 600, height: 400 });
    const colour = await jpegColourAt(finished.bytes, 0.1, 0.1);
    for (const [channel, value] of QUARTERS.topLeft.entries())
      expect(Math.abs((colour[channel] ?? 0) - (255 - value))).toBeLessThan(12);
  });

  test('keeps the size of a larger input where the tool never makes it smaller', async () => {
    const finished = await finish(rooms.empty, rooms.furnished, { neverSmaller: true });
    expect(finished).toMatchObject({ ok: true, width: 1200, height: 800 });
  });
});
