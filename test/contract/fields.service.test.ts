import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIMITS } from '../../lib/contract/limits.ts';
import { INNER_LITERALS, INNER_NAMES } from '../lib/egress/hosts.ts';
import { postJob } from '../setup/client.ts';
import { sampleImage } from '../setup/images.ts';
import { type Service, startService } from '../setup/service.ts';
import { storingGateway } from './gateway.ts';
import { error, outcome } from './responses.ts';

const MB = 1024 * 1024;
let service: Service;
let image_base64: string;
let gateway: ReturnType<typeof storingGateway>;
let headers: Record<string, string>;

beforeAll(async () => {
  image_base64 = await sampleImage();
  gateway = storingGateway({ accept: (draft) => service.stores.jobs.accept(draft) });
  service = await startService({ api: { jobGateway: gateway } });
  headers = (await service.client()).headers;
});
afterAll(async () => service?.[Symbol.asyncDispose]());

const post = (more: object) => postJob(service.app, headers, { tool: 'declutter', image_base64, ...more });
const raw = (payload: string | Buffer) =>
  service.app.inject({
    method: 'POST',
    url: '/api/v1/jobs',
    payload,
    headers: { ...headers, 'content-type': 'application/json' },
  });

describe('tool', () => {
  test.each([undefined, null, 5, true, [], {}, ['pool'], 'x'.repeat(LIMITS.toolLength + 1)])(
    '%j is invalid_request',
    async (tool) => expect(outcome(await post({ tool }))).toBe(error('invalid_request')),
  );

  test.each(['', ' ', 'Pool', 'pool ', 'pоol', '__proto__', 'toString', '\0', 'x'.repeat(LIMITS.toolLength)])(
    '%j is invalid_tool',
    async (tool) => expect(outcome(await post({ tool }))).toBe(error('invalid_tool')),
  );
});

describe('the two image fields', () => {
  const URL_ = 'https://example.com/a.jpg';

  test.each([
    ['neither', {}],
    ['both', { image_base64: 'AAAA', image_url: URL_ }],
    ['both, empty', { image_base64: '', image_url: '' }],
  ])('%s is invalid_image', async (_what, fields) => {
    expect(outcome(await post({ image_base64: undefined, ...fields }))).toBe(error('invalid_image'));
  });

  test.each([
    ['null beside an image', { image_url: null }],
    ['null beside a URL', { image_base64: null, image_url: URL_ }],
    ['two nulls', { image_base64: null, image_url: null }],
    ['a number', { image_base64: 5 }],
    ['a list', { image_base64: ['AAAA'] }],
    ['an object', { image_base64: undefined, image_url: {} }],
  ])('%s is invalid_request', async (_what, fields) => {
    expect(outcome(await post(fields))).toBe(error('invalid_request'));
  });
});

describe('image_base64', () => {
  test.each([
    ['empty', () => ''],
    ['an empty data URI', () => 'data:image/png;base64,'],
    ['another type', () => `data:image/gif;base64,${image_base64}`],
    ['a data URI that is not base64', () => `data:image/png,${image_base64}`],
    ['a type with parameters', () => `data:image/png;charset=x;base64,${image_base64}`],
    ['line breaks', () => image_base64.replace(/(.{76})/g, '$1\n')],
    ['spaces around', () => ` ${image_base64} `],
    ['the URL-safe alphabet', () => '-_-_'],
    ['no padding', () => Buffer.from([...Buffer.from(image_base64, 'base64'), 1, 2]).toString('base64url')],
    ['a NUL', () => `${image_base64}\0`],
    ['no image', () => Buffer.from('hello, this is text').toString('base64')],
    ['a HEIC', () => Buffer.from('\0\0\0\x18ftypheic\0\0\0\0').toString('base64')],
  ])('%s is invalid_image', async (_what, value) => {
    expect(outcome(await post({ image_base64: value() }))).toBe(error('invalid_image'));
  });

  test('may have up to 20 MB decoded', async () => {
    const padded = (length: number) => {
      const bytes = Buffer.from(image_base64, 'base64');
      return Buffer.concat([bytes, Buffer.alloc(length - bytes.length)]).toString('base64');
    };
    expect(outcome(await post({ image_base64: padded(LIMITS.imageBytes) }))).toBe('201');
    expect(outcome(await post({ image_base64: padded(LIMITS.imageBytes + 1) }))).toBe(error('invalid_image'));
  });

  test.each([
    ['', 'jpeg'],
    ['data:image/jpeg;base64,', 'jpeg'],
    ['data:image/png;base64,', 'png'],
    ['DATA:IMAGE/WEBP;BASE64,', 'webp'],
  ])('with the prefix %j is stored as %s, whatever its bytes are', async (prefix, format) => {
    expect(outcome(await post({ image_base64: `${prefix}${image_base64}` }))).toBe('201');
    expect(gateway.asked.at(-1)).toMatchObject({
      format,
      draft: { input: { key: expect.stringMatching(new RegExp(`\\.${format}$`)) } },
    });
  });
});

describe('options', () => {
  test.each([null, [], 'x', 5, true, [{ resolution: '4K' }]])('%j is invalid_request', async (options) => {
    expect(outcome(await post({ options }))).toBe(error('invalid_request'));
  });

  test('with unusual unknown keys are ignored, named in warnings and not stored', async () => {
    const keys = ['a\0b', '$set', 'a.b', '__proto__', 'constructor', '', '\u202e', '😀', 'toString'];
    const options = `{${keys.map((key) => `${JSON.stringify(key)}:{"a\\u0000":1}`).join(',')}}`;
    const response = await raw(`{"tool":"declutter","image_base64":"${image_base64}","options":${options}}`);
    expect(outcome(response)).toBe('201');
    expect(response.json().warnings.map(({ option }: { option: string }) => option)).toEqual(keys);
    const stored = await service.stores.jobs.get(response.json().job_id);
    expect(Object.keys(stored?.options ?? {}).some((key) => keys.includes(key))).toBe(false);
  });

  test('with control characters and bidi marks are cleaned to one line', async () => {
    const customPrompt = 'warm\0 light\r\n\u202eevil\u0007';
    expect(outcome(await post({ tool: 'day-to-dusk', options: { tier: 'custom', customPrompt } }))).toBe(
      '201',
    );
    expect(gateway.asked.at(-1)?.draft.options).toEqual({ customPrompt: 'warm light evil' });
  });
});

describe('webhook_url', () => {
  test.each([...INNER_LITERALS, ...INNER_NAMES])('the host %s is rejected', async (host) => {
    const response = await post({ webhook_url: `https://${host}/hook` });
    expect(outcome(response)).toBe(error('webhook_url_rejected'));
  });

  test.each([
    '',
    'hook',
    'http://example.com/',
    'ftp://example.com/',
    'wss://example.com/',
    'https://u:p@example.com/',
    'https://u@example.com/',
    'https://example.com:0x50/',
    'javascript:alert(1)//https://example.com',
    'https://\0',
    'https://example.com/a b',
    'https://example.com/\n',
    'https://exam\tple.com/',
    'https://example.com:22/',
    `https://example.com/${'\u00e9'.repeat(1000)}`,
  ])('%j is rejected', async (webhook_url) => {
    expect(outcome(await post({ webhook_url }))).toBe(error('webhook_url_rejected'));
  });

  test.each([null, 5, {}, [], `https://example.com/${'a'.repeat(2000)}`])(
    '%j is invalid_request',
    async (webhook_url) => {
      expect(outcome(await post({ webhook_url }))).toBe(error('invalid_request'));
    },
  );

  test.each([
    'https://8.8.8.8/hook',
    'https://8.8.8.8:8443/hook?x=1#y',
    'https://[2606:4700::1111]/',
    'https://no-such-name.example.com/',
  ])('%s is accepted; delivery checks it again', async (webhook_url) => {
    expect(outcome(await post({ webhook_url }))).toBe('201');
    expect(gateway.asked.at(-1)?.draft.webhookUrl).toBe(webhook_url);
  });

  test('is stored as it is called', async () => {
    expect(outcome(await post({ webhook_url: ' HTTPS://Hooks.Example.com:443/\u00e9\\a ' }))).toBe('201');
    expect(gateway.asked.at(-1)?.draft.webhookUrl).toBe('https://hooks.example.com/%C3%A9/a');
  });
});

describe('the body', () => {
  test('may have unknown fields, even large ones', async () => {
    for (const value of ['x', null, { a: [1, { b: 2 }] }, 'x'.repeat(8 * MB)])
      expect(outcome(await post({ mask_base64: value }))).toBe('201');
  });

  test.each([
    ['nothing', ''],
    ['whitespace', ' \n'],
    ['null', 'null'],
    ['a list', '[{}]'],
    ['a string', '"x"'],
    ['a number', '1e999'],
    ['a cut-off object', '{"tool":"pool"'],
    ['two objects', '{}{}'],
    ['a comment', '{/**/}'],
    ['a trailing comma', '{"tool":"pool",}'],
    ['single quotes', "{'tool':'pool'}"],
    ['a BOM', '\ufeff{}'],
    ['a raw control character', '{"tool":"po\nol"}'],
    ['half a surrogate pair', '{"tool":"\\ud800"}'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['UTF-16', Buffer.from('{"tool":"pool"}', 'utf16le')],
    ['a nesting of 100,000', '{"a":'.repeat(100_000)],
    ['a list of a million', `{"a":[${'0,'.repeat(1_000_000)}0]}`],
    ['the image twice', '{"image_base64":"AAAA","image_base64":"AAAA"}'],
  ])('%s is invalid_request', async (_what, payload) => {
    expect(outcome(await raw(payload))).toBe(error('invalid_request'));
  });

  test('uses the last of two fields with the same name, as JSON.parse does', async () => {
    const response = await raw(`{"tool":"none","image_base64":"${image_base64}","tool":"pool"}`);
    expect(outcome(response)).toBe('201');
    expect(gateway.asked.at(-1)?.draft.tool).toBe('pool');
  });

  test('inherits nothing from __proto__', async () => {
    const response = await raw(`{"__proto__":{"tool":"pool"},"image_base64":"${image_base64}"}`);
    expect(outcome(response)).toBe(error('invalid_request'));
  });
});
