import { describe, expect, test } from 'vitest';
import type { CreateOptions } from '../../../packages/client/src/index.ts';
import { clientAnswered, JPEG, json } from './fake-fetch.ts';

const created = json({ job_id: 'a', status: 'processing', images_charged: 1, warnings: [] }, 201);
const { client } = clientAnswered(created);

type Roof = CreateOptions<'roof-replacement'>;
const roof: Roof = { tool: 'roof-replacement', image: JPEG, key: 'listing 4711/ä' };
const keyOf = (change: Partial<Roof> = {}) => client.jobs.idempotencyKey({ ...roof, ...change });

describe('the Idempotency-Key', () => {
  test('is readable, fits into its header, and is what is sent', async () => {
    const long = await keyOf({ key: 'x'.repeat(1000) });
    expect(long).toMatch(/^x{64}-[\w-]{43}$/);
    const sending = clientAnswered(created);
    const { idempotency_key } = await sending.client.jobs.create(roof);
    expect(idempotency_key).toMatch(/^listing_4711__-[\w-]{43}$/);
    expect(await keyOf()).toBe(idempotency_key);
    expect(new Headers(sending.sent[0]?.init.headers).get('Idempotency-Key')).toBe(idempotency_key);
  });

  test('is the same for the same inputs', async () => {
    const options = { material: 'slate', resolution: '4K' } as const;
    const turned = { resolution: '4K', material: 'slate' } as const;
    expect(await keyOf({ options })).toBe(await keyOf({ options: turned }));
    expect(await keyOf({ image: new Blob([JPEG]) })).toBe(await keyOf());
  });

  test('is the same without options and with none, and so is the request', async () => {
    const { client: sending, sent } = clientAnswered(created);
    const image = new URL('https://photos.example.com/a.jpg');
    const changes: object[] = [{}, { options: {} }, { options: { material: undefined } }];
    for (const change of changes) await sending.jobs.create({ ...roof, image, ...change });
    const requests = sent.map(({ init }) => [new Headers(init.headers).get('Idempotency-Key'), init.body]);
    expect(new Set(requests.map(String)).size).toBe(1);
  });

  test.each<[string, Partial<Roof>]>([
    ['another record', { key: 'listing 4711/ö' }],
    ['another option', { options: { material: 'slate' } }],
    ['another photo', { image: Uint8Array.of(0xff, 0xd8, 0xff, 0xe1) }],
    ['a photo by its URL', { image: new URL('https://photos.example.com/a.jpg') }],
    ['a webhook', { webhookUrl: 'https://hooks.example.com' }],
  ])('is another one for %s', async (_what, change) => {
    expect(await keyOf(change)).not.toBe(await keyOf());
  });

  test('is new for each call without a record', async () => {
    const { tool, image } = roof;
    const keys = await Promise.all([1, 2].map(() => client.jobs.idempotencyKey({ tool, image })));
    expect(keys[0]).not.toBe(keys[1]);
  });
});

describe('the photo of a request', () => {
  async function sentFor(image: Roof['image']) {
    const { client: sending, sent } = clientAnswered(created);
    await sending.jobs.create({ ...roof, image });
    return new Request('https://api.example.com', { method: 'POST', ...sent[0]?.init });
  }

  test.each([
    ['image/jpeg', JPEG],
    ['image/png', Uint8Array.of(0x89, 0x50, 0x4e, 0x47)],
    ['image/webp', Buffer.from('RIFF\0\0\0\0WEBPVP8 ')],
  ])('is a part of the type of its bytes: %s', async (type, bytes) => {
    const form = await (await sentFor(bytes)).formData();
    const [job, image] = [form.get('job'), form.get('image')];
    if (!(job instanceof Blob && image instanceof Blob)) throw new Error('A part is missing.');
    expect([job.type, JSON.parse(await job.text())]).toEqual([
      'application/json',
      { tool: 'roof-replacement' },
    ]);
    expect(image.type).toBe(type);
    expect(Buffer.from(await image.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test('is named by its URL', async () => {
    const request = await sentFor(new URL('https://photos.example.com/a.jpg'));
    expect(request.headers.get('Content-Type')).toBe('application/json');
    expect(await request.json()).toEqual({
      tool: 'roof-replacement',
      image_url: 'https://photos.example.com/a.jpg',
    });
  });
});

test('a path needs the client of image-job/node', async () => {
  // @ts-expect-error: the core knows no file system.
  const request = client.jobs.create({ tool: 'declutter', image: 'photo.jpg' });
  await expect(request).rejects.toThrow('A path needs the ImageJobs of image-job/node');
});

describe('a program without types is told what to change', () => {
  test.each<[string, object, string]>([
    [
      'no image',
      { image: undefined },
      'image must be a Blob, a Uint8Array, a URL object or a path, and is undefined',
    ],
    ['an image of null', { image: null }, 'and is null'],
    ['an image that is an object', { image: { data: '' } }, 'and is object'],
    ['a number as key', { key: 42 }, 'key must be a string, the id of your own record: pass String(id)'],
  ])('for %s', async (_what, change, message) => {
    const { client: sending, sent } = clientAnswered(created);
    const error = await sending.jobs.create({ ...roof, ...change }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({ message: expect.stringContaining(message) });
    expect(sent).toEqual([]);
  });
});
