import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../lib/contract/errors.ts';
import { BOUNDARY, type FormPart, formBody, formType, imagePart, jobPart } from '../setup/forms.ts';
import { sampleJpeg } from '../setup/images.ts';
import { IMAGE_URL, startFakeApi } from './fake-api.ts';
import { type ContractResponse, expectError, outcome } from './responses.ts';
import { dial, listen } from './wire.ts';

const MB = 1024 * 1024;
const WAIT = { timeout: 20_000 };
let api: Awaited<ReturnType<typeof startFakeApi>>;
let port: number;
let image: Buffer;

beforeAll(async () => {
  image = await sampleJpeg();
  api = await startFakeApi(image);
  port = await listen(api.app);
});
afterAll(() => api.app.close());

const job = (more: object = {}) => jobPart({ tool: 'declutter', ...more });
const file = (bytes: Buffer = image, type = 'image/jpeg') => imagePart(bytes, type);
const good = () => formBody([job(), file()]);
const send = (payload: Buffer, headers: Record<string, string> = {}) =>
  api.app.inject({
    method: 'POST',
    url: '/api/v1/jobs',
    headers: { ...api.headers, 'content-type': formType(), ...headers },
    payload,
  });
const post = (parts: readonly FormPart[]) => send(formBody(parts));
/** The message of an error response, after a check of all else. */
function refused(response: ContractResponse, code: ErrorCode): string {
  expectError(response, code, api.config.api.publicUrl);
  return JSON.parse(response.body).error.message;
}
const head = (...more: string[]) => [
  'POST /api/v1/jobs HTTP/1.1',
  'Host: x',
  'Connection: close',
  `Content-Type: ${formType()}`,
  ...more,
  '',
];
const apiKey = () => `X-Api-Key: ${api.headers['x-api-key']}`;
const chunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
const LAST = Buffer.from('0\r\n\r\n');

describe('a Content-Type of a form', () => {
  test.each([
    formType(`"${BOUNDARY}"`),
    `Multipart/Form-Data;BOUNDARY=${BOUNDARY};`,
    `multipart/form-data; charset=utf-8; boundary=${BOUNDARY}`,
    `multipart/form-data; boundary=${BOUNDARY}; charset="UTF-8"`,
  ])('may be %s', async (type) => {
    expect(outcome(await send(good(), { 'content-type': type }))).toBe('201');
  });

  test.each([
    'multipart/form-data',
    'multipart/form-data; boundary',
    formType(''),
    formType('""'),
    formType('x'.repeat(71)),
    formType(`x${' '.repeat(100)}x`),
    formType('a"b'),
    formType('"a'),
    formType('a\\b'),
    formType('é'),
    `${formType()}; boundary=${BOUNDARY}`,
    `${formType()}; x=y`,
  ])('%s has no valid boundary', async (type) => {
    const message = refused(await send(good(), { 'content-type': type }), 'invalid_request');
    expect(message).toContain('needs a boundary of 1 to 70 characters');
  });

  test.each(['multipart/mixed', 'multipart/form-dat', 'multipart/form-data,x', 'form-data'])(
    '%s is unknown',
    async (type) => {
      const response = await send(good(), { 'content-type': `${type}; boundary=${BOUNDARY}` });
      expect(refused(response, 'invalid_request')).toContain('application/json, or a form');
    },
  );

  test('of a form in a compressed body is invalid_request', async () => {
    refused(await send(good(), { 'content-encoding': 'gzip' }), 'invalid_request');
  });

  test('of an empty body is invalid_request', async () => {
    refused(await send(Buffer.alloc(0)), 'invalid_request');
  });
});

describe('the image of a form', () => {
  test.each<[string, () => FormPart[], string]>([
    ['without a file', () => [job()], 'exactly one image'],
    ['with a file and an image_url', () => [job({ image_url: IMAGE_URL }), file()], 'exactly one image'],
    ['with a file and an image_base64', () => [job({ image_base64: 'AAAA' }), file()], 'exactly one image'],
    ['with an empty file', () => [job(), file(Buffer.alloc(0))], 'image: the file is empty.'],
    ['with a file of 20 MB and a byte', () => [job(), file(Buffer.alloc(20 * MB + 1))], 'image: over 20 MB.'],
    ['with a file that is no image', () => [job(), file(Buffer.from('none'))], 'JPEG, PNG'],
    ['with a GIF', () => [job(), file(image, 'image/gif')], 'image: its Content-Type must be'],
    [
      'with a nested multipart',
      () => [job(), file(formBody([file()], 'b'), 'multipart/mixed; boundary=b')],
      'Content-Type',
    ],
  ])('%s is invalid_image', async (_how, parts, message) => {
    expect(refused(await post(parts()), 'invalid_image')).toContain(message);
  });

  test('may be given by image_url or image_base64 in the JSON', async () => {
    expect(outcome(await post([job({ image_url: IMAGE_URL })]))).toBe('201');
    expect(outcome(await post([job({ image_base64: image.toString('base64') })]))).toBe('201');
  });

  test.each([
    ['image/jpeg', 'jpeg'],
    ['application/octet-stream', 'jpeg'],
    ['image/png', 'png'],
    ['image/webp', 'webp'],
  ])('of the type %s is stored as %s', async (type, format) => {
    const { job_id } = (await post([job(), file(image, type)])).json();
    const stored = await api.stores.jobs.get(job_id);
    const [input] = stored !== undefined && 'inputs' in stored ? stored.inputs : [];
    expect(input?.key).toMatch(new RegExp(`\\.${format}$`));
    expect(await api.images.getInput(input?.key ?? '')).toEqual(image);
    expect(api.images.objects.get(`inputs/${input?.key}`)?.mime).toBe(`image/${format}`);
  });
});

describe('the JSON of a form', () => {
  test.each<[ErrorCode, string, () => FormPart]>([
    ['invalid_request', 'no tool', () => jobPart({})],
    ['invalid_request', 'a tool that is a number', () => job({ tool: 5 })],
    ['invalid_request', 'image_base64 that is a number', () => job({ image_base64: 5 })],
    ['invalid_request', 'an unknown value', () => job({ tool: 'pool', options: { poolShape: 'x' } })],
    ['invalid_request', 'a byte-order mark', () => ({ name: 'job', content: '\ufeff{"tool":"pool"}' })],
    ['invalid_request', 'a NUL after it', () => ({ name: 'job', content: '{"tool":"pool"}\0' })],
    [
      'invalid_request',
      'more than 1 MB of short strings',
      () => job({ x: Array(9000).fill('x'.repeat(200)) }),
    ],
    ['invalid_tool', 'an unknown tool', () => job({ tool: 'decluter' })],
    ['webhook_url_rejected', 'a private webhook', () => job({ webhook_url: 'https://10.0.0.1/' })],
  ])('is %s with %s', async (code, _what, part) => {
    refused(await post([part(), file()]), code);
    refused(await post([file(), part()]), code);
  });

  test('may have fields that are ignored, of any length', async () => {
    expect(outcome(await post([job({ note: 'x'.repeat(5 * MB) }), file()]))).toBe('201');
  });
});

describe('the limit of a form', () => {
  const filler = (size: number) => formBody([{ name: 'image', content: Buffer.alloc(size) }, job()]);

  test('is 30 MB with the key header', async () => {
    refused(await send(filler(30 * MB)), 'payload_too_large');
    refused(await send(filler(29 * MB)), 'invalid_image');
    const wire = await dial(port, ...head(apiKey(), 'Transfer-Encoding: chunked'));
    for (let n = 0; n < 31; n += 1)
      wire.socket.write(chunk(n === 0 ? filler(MB).subarray(0, MB) : Buffer.alloc(MB)));
    await expect.poll(wire.received, WAIT).toMatch(/^HTTP\/1\.1 413 /);
    wire.socket.destroy();
  });

  test('is 1 MB without it', async () => {
    const headers = { 'content-type': formType() };
    const bare = (payload: Buffer) =>
      api.app.inject({ method: 'POST', url: '/api/v1/jobs', headers, payload });
    refused(await bare(filler(MB)), 'payload_too_large');
    refused(await bare(good()), 'invalid_api_key');
  });
});

describe('on the connection, a form', () => {
  test('may be chunked, in chunks of any size', async () => {
    for (const size of [1, 1000]) {
      const wire = await dial(port, ...head(apiKey(), 'Transfer-Encoding: chunked'));
      const form = good();
      const chunks = Array.from({ length: Math.ceil(form.length / size) }, (_, n) =>
        chunk(form.subarray(n * size, (n + 1) * size)),
      );
      expect(outcome(await wire.response(Buffer.concat([...chunks, LAST])))).toBe('201');
    }
  });

  test('is invalid_request in too many small chunks', async () => {
    const wire = await dial(port, ...head(apiKey(), 'Transfer-Encoding: chunked'));
    const form = formBody([job(), file(Buffer.alloc(9000))]);
    const chunks = Array.from(form, (byte) => chunk(Buffer.of(byte)));
    const response = await wire.response(Buffer.concat([...chunks, LAST]));
    expect(refused(response, 'invalid_request')).toContain('too many small chunks');
  });

  test('is only requested after the checks of its head', async () => {
    const length = `Content-Length: ${good().length}`;
    const wire = await dial(port, ...head(apiKey(), 'Expect: 100-continue', length));
    await expect.poll(wire.received).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    expect(outcome(await wire.response(good()))).toBe('201');
    const wrong = head(apiKey(), 'Expect: 100-continue', length).with(3, `Content-Type: ${formType('')}`);
    const refusal = await dial(port, ...wrong);
    await expect.poll(refusal.received).toMatch(/^HTTP\/1\.1 400 /);
    refusal.socket.destroy();
    expect(refusal.received()).not.toContain('100 Continue');
  });

  test.each<[string, FormPart]>([
    ['an attachment', { name: undefined, content: '', headers: ['Content-Disposition: attachment'] }],
    ['no headers', { name: undefined, content: '' }],
    ['a line break in the name of its file', { ...imagePart(''), filename: 'a\nb' }],
    ['a CR in the name of its file', { ...imagePart(''), filename: 'a\rb' }],
    ['unreadable headers', { name: undefined, content: '', headers: ['\0'] }],
    ['an unknown name', { name: 'tool', content: '' }],
  ])('with a large part that has %s is answered, and gives its bytes back', async (_what, part) => {
    const form = formBody([job({ image_url: IMAGE_URL }), { ...part, content: 'x'.repeat(17_000) }]);
    const wire = await dial(port, ...head(apiKey(), 'Transfer-Encoding: chunked'));
    refused(await wire.response(Buffer.concat([chunk(form), LAST])), 'invalid_request');
    await expect.poll(() => api.limits.bytes.held, WAIT).toBe(0);
  });

  test('that ends before its closing boundary is invalid_request', async () => {
    for (const length of [1, 60, good().length - 5])
      refused(await send(good().subarray(0, length)), 'invalid_request');
  });

  test('that is cut off leaves nothing in flight', async () => {
    const wire = await dial(port, ...head(apiKey(), `Content-Length: ${good().length}`));
    wire.socket.write(good().subarray(0, 300));
    await expect.poll(() => api.limits.bytes.held, WAIT).toBeGreaterThan(0);
    wire.socket.destroy();
    await expect.poll(() => api.limits.bytes.held, WAIT).toBe(0);
  });
});

test('requests that were refused have stored and charged nothing', async () => {
  const jobs = await api.stores.jobs.list(api.accountId, Number.MAX_SAFE_INTEGER);
  const owned = jobs.flatMap(({ inputs }) => inputs.map(({ key }) => `inputs/${key}`));
  expect(new Set(api.images.objects.keys())).toEqual(new Set(owned));
  const { balance } = await api.stores.accounts.get(api.accountId);
  expect(balance).toBe(10_000_000 + 50 - jobs.length);
});
