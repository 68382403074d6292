import sharp from 'sharp';
import { FormData, fetch } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ended } from '../setup/client.ts';
import { type FormPart, formBody, formType, imagePart, jobPart } from '../setup/forms.ts';
import { sampleJpeg } from '../setup/images.ts';
import { type Service, startService } from '../setup/service.ts';
import { error, outcome } from './responses.ts';
import { listen } from './wire.ts';

let service: Service;
let worker: AsyncDisposable;
let jpeg: Buffer;
let client: Awaited<ReturnType<Service['client']>>;

beforeAll(async () => {
  service = await startService();
  [worker, jpeg] = await Promise.all([service.startWorker(), sampleJpeg()]);
});
beforeEach(async () => {
  client = await service.client();
});
afterAll(async () => {
  await worker?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

const KEY = 'record-1';
const FIELDS = { tool: 'declutter', options: { resolution: '2K', note: ['é', 1] } };
const send = (payload: Buffer | object, type: string, { key = KEY, query = '' } = {}) =>
  service.app.inject({
    method: 'POST',
    url: `/api/v1/jobs${query}`,
    headers: { ...client.headers, 'content-type': type, 'idempotency-key': key },
    payload,
  });
const form = (parts: readonly FormPart[], more?: { key?: string; query?: string }) =>
  send(formBody(parts), formType(), more);
const asForm = (type?: string, bytes = jpeg) => form([jobPart(FIELDS), imagePart(bytes, type)]);
const asBase64 = (prefix = '', fields: object = FIELDS) =>
  send({ ...fields, image_base64: prefix + jpeg.toString('base64') }, 'application/json');
const balance = async () => (await service.stores.accounts.get(client.accountId)).balance;
const idOf = (response: Awaited<ReturnType<typeof send>>): string => response.json().job_id;

describe('a job from a form', () => {
  test('is charged, rendered and stored like any other', async () => {
    const png = await sharp(jpeg).png().toBuffer();
    const response = await asForm('image/png', png);
    expect(outcome(response)).toBe('201');
    expect(response.json()).toMatchObject({ status: 'processing', images_charged: 1 });
    expect(response.json().warnings).toMatchObject([{ option: 'note' }]);
    const job = await ended(service.app, client.headers, idOf(response));
    expect(job).toMatchObject({ status: 'completed', idempotency_key: KEY });
    expect(job.result_urls).toEqual([expect.stringMatching(/\.png$/)]);
    expect(await balance()).toBe(49);
    expect(await service.stores.ledger.audit(client.accountId)).toEqual([]);
  });

  test('can be sent with FormData and fetch', async () => {
    const port = await listen(service.app);
    const body = new FormData();
    body.set('image', new Blob([new Uint8Array(jpeg)], { type: 'image/jpeg' }), 'room.jpg');
    body.set('job', JSON.stringify(FIELDS));
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/jobs`, {
      method: 'POST',
      headers: { ...client.headers, 'idempotency-key': KEY },
      body,
    });
    const { job_id } = (await response.json()) as { job_id: string };
    expect(response.status).toBe(201);
    expect(idOf(await asForm('image/jpeg'))).toBe(job_id);
  });

  test('can be asked about first, which does not use up its key', async () => {
    const parts = [imagePart(jpeg), jobPart({ ...FIELDS, options: { resolution: '4K' } })];
    const dry = await form(parts, { query: '?dry_run=true' });
    expect(dry.json()).toMatchObject({ valid: true, images_charged: 2, balance_after: 48 });
    expect(outcome(await asForm())).toBe('201');
    expect((await form(parts, { query: '?dry_run=true' })).statusCode).toBe(409);
  });

  test('leaves no image when the balance does not cover it', async () => {
    const parts = [jobPart({ tool: '4k-upscale' }), imagePart(jpeg)];
    const responses = await Promise.all(Array.from({ length: 30 }, (_, n) => form(parts, { key: `k${n}` })));
    expect(responses.filter((response) => outcome(response) === '201')).toHaveLength(25);
    expect(responses.filter((response) => outcome(response) === error('insufficient_credits'))).toHaveLength(
      5,
    );
    const { found } = await service.images.list('inputs');
    expect(found.filter(({ key }) => key.startsWith(client.accountId))).toHaveLength(25);
  });
});

describe('a form and base64 are the same body', () => {
  const png = 'data:image/png;base64,';
  const webp = 'data:image/webp;base64,';
  const jpegPrefix = 'data:image/jpeg;base64,';
  const pairs: [string | undefined, string][] = [
    [undefined, ''],
    [undefined, jpegPrefix],
    ['application/octet-stream', ''],
    ['application/octet-stream', jpegPrefix],
    ['image/jpeg', ''],
    ['image/jpeg', jpegPrefix],
    ['image/jpg', ''],
    ['image/jpg', 'data:image/jpg;base64,'],
    ['image/png', png],
    ['image/webp', webp],
  ];

  test.each(pairs)('with a file of the type %s and the prefix "%s"', async (type, prefix) => {
    const job = idOf(await asForm(type));
    expect(idOf(await asBase64(prefix))).toBe(job);
    client = await service.client();
    const other = idOf(await asBase64(prefix));
    expect(idOf(await asForm(type))).toBe(other);
    expect(await balance()).toBe(49);
  });

  test('with parts in any order, JSON spelled in any way, any boundary and any name of the file', async () => {
    const job = idOf(await asForm('image/jpeg'));
    const spelled = {
      name: 'job',
      content: JSON.stringify(FIELDS, null, 2).replace('"tool"', '"\\u0074ool"'),
    };
    const renamed = { ...imagePart(jpeg, 'image/jpeg'), filename: 'another' };
    const again = await send(formBody([renamed, spelled], 'b'), formType('b'));
    expect(idOf(again)).toBe(job);
  });

  test('with the image in the JSON of a form', async () => {
    const job = idOf(await asBase64());
    expect(idOf(await form([jobPart({ ...FIELDS, image_base64: jpeg.toString('base64') })]))).toBe(job);
  });

  test('when they arrive at the same time', async () => {
    const types = [undefined, 'image/jpeg', 'image/jpg', 'application/octet-stream'];
    const responses = await Promise.all([...types.map((type) => asForm(type)), asBase64()]);
    expect(responses.map(outcome)).toEqual(Array(5).fill('201'));
    expect(new Set(responses.map(idOf)).size).toBe(1);
    expect(await balance()).toBe(49);
  });
});

describe('a form is another body than base64', () => {
  test.each<[string, () => ReturnType<typeof send>]>([
    ['with another type', () => asForm('image/png')],
    ['with another byte', () => asForm(undefined, Buffer.concat([jpeg, Buffer.of(0)]))],
    ['with other fields', () => form([jobPart({ tool: 'declutter' }), imagePart(jpeg)])],
    ['with a field more', () => form([jobPart({ ...FIELDS, note: 1 }), imagePart(jpeg)])],
  ])('%s', async (_how, other) => {
    await asBase64();
    expect(outcome(await other())).toBe(error('idempotency_conflict'));
    expect(await balance()).toBe(49);
  });

  test('and does not make base64 with and without a prefix the same', async () => {
    await asBase64();
    await asForm('image/jpeg');
    expect(outcome(await asBase64('data:image/jpeg;base64,'))).toBe(error('idempotency_conflict'));
  });
});
