import { Value } from 'typebox/value';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LIMITS } from '../../lib/contract/limits.ts';
import { WebhookEndpoint, WebhookSecret } from '../../lib/contract/webhook-endpoint.ts';
import { MAX_REPLACED_SECRETS, replacedSecrets, signingSecrets } from '../../lib/domain/webhook-secrets.ts';
import { startFakeApi } from './fake-api.ts';
import { error, expectError, outcome } from './responses.ts';
import { exchange, listen } from './wire.ts';

const URL = 'https://hooks.example.com/a';
let api: Awaited<ReturnType<typeof startFakeApi>>;
let client: Awaited<ReturnType<typeof api.client>>;

beforeAll(async () => {
  api = await startFakeApi(Buffer.alloc(0));
});
beforeEach(async () => {
  client = await api.client();
});
afterAll(() => api?.[Symbol.asyncDispose]());

const PATH = '/api/v1/webhook-endpoint';
const put = (payload: string | object, headers: Record<string, string> = {}) =>
  api.app.inject({
    method: 'PUT',
    url: PATH,
    headers: { 'content-type': 'application/json', ...client.headers, ...headers },
    payload,
  });
const rotate = () =>
  api.app.inject({ method: 'POST', url: `${PATH}/rotate-secret`, headers: client.headers });
const stored = async () => (await api.stores.accounts.get(client.accountId)).webhook;
const get = () => api.app.inject({ url: PATH, headers: client.headers });
const read = async () => (await get()).json<WebhookEndpoint>();

describe('GET /v1/webhook-endpoint', () => {
  test('says that there is none, or where it is', async () => {
    const none = { url: null, status: 'enabled', disabled_reason: null, failing_since: null };
    expect(await read()).toEqual(none);
    await api.stores.accounts.setWebhook(client.accountId, { url: URL });
    expect(await read()).toEqual({ ...none, url: URL });
  });

  test('says since when it fails, and why it was disabled, but never its secret', async () => {
    const { accounts } = api.stores;
    await accounts.setWebhook(client.accountId, {
      url: URL,
      rotateTo: { secret: 'whsec_c2VjcmV0', previousUntil: new Date() },
    });
    await accounts.recordEndpointHealth(client.accountId, URL, { failingSince: new Date(0) });
    await accounts.recordEndpointHealth(client.accountId, URL, { disabledReason: 'Every delivery failed.' });
    const response = await get();
    expect(outcome(response)).toBe('200');
    expect(Value.Check(WebhookEndpoint, response.json())).toBe(true);
    expect(response.json()).toEqual({
      url: URL,
      status: 'disabled',
      disabled_reason: 'Every delivery failed.',
      failing_since: '1970-01-01T00:00:00.000Z',
    });
    expect(response.body).not.toContain('whsec_');
  });
});

describe('PUT /v1/webhook-endpoint', () => {
  test('sets, changes and removes the URL, and leaves the secret', async () => {
    const { secret } = await stored();
    for (const url of [URL, `${URL}?b=1`, null]) {
      const response = await put({ url, secret: 'whsec_mine', status: 'disabled' });
      expect([outcome(response), response.json().url]).toEqual(['200', url]);
      expect(Value.Check(WebhookEndpoint, response.json())).toBe(true);
      expect(response.json()).toEqual(await read());
    }
    expect((await stored()).secret).toBe(secret);
  });

  test('shows and stores the URL as it is called', async () => {
    const response = await put({ url: ' HTTPS://Hooks.Example.com:443/\u00e9?q=\u202e' });
    const called = 'https://hooks.example.com/%C3%A9?q=%E2%80%AE';
    expect(response.json().url).toBe(called);
    expect([(await read()).url, (await stored()).url]).toEqual([called, called]);
  });

  test('enables a disabled endpoint, also with the same URL', async () => {
    await put({ url: URL });
    await api.stores.accounts.recordEndpointHealth(client.accountId, URL, { failingSince: new Date(0) });
    await api.stores.accounts.recordEndpointHealth(client.accountId, URL, { disabledReason: 'Gone.' });
    expect((await put({ url: URL })).json()).toEqual({
      url: URL,
      status: 'enabled',
      disabled_reason: null,
      failing_since: null,
    });
  });

  test.each([
    'http://hooks.example.com/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://10.0.0.1/',
    'https://localhost/',
    'https://user:secret@hooks.example.com/',
    'ftp://hooks.example.com/',
    'hooks.example.com',
    '',
    '\0',
    'https://',
    'https://hooks.example.com/a b',
    'https://hooks.example.com/\n',
    'https://hooks.example.com:6667/',
    `https://hooks.example.com/${'\u00e9'.repeat(400)}`,
  ])('a URL that is not public is refused and changes nothing: %j', async (url) => {
    await put({ url: URL });
    const refused = await put({ url });
    expectError(refused, 'webhook_url_rejected', api.config.api.publicUrl);
    expect(refused.json().error.message).toMatch(/^url: /);
    expect((await read()).url).toBe(URL);
  });

  test.each([
    ['{}', 'url'],
    ['{"url":5}', 'url'],
    ['{"url":["https://a.example/"]}', 'url'],
    [`{"url":"https://a.example/${'x'.repeat(LIMITS.urlLength)}"}`, 'url'],
    ['[]', 'JSON object'],
    ['null', 'JSON object'],
    ['"https://a.example/"', 'JSON object'],
    ['{"url":', 'valid JSON'],
    ['', 'empty'],
    ['  ', 'empty'],
    ['{"url":"\\ud800"}', 'surrogate'],
    [Buffer.from([0x7b, 0xff, 0x7d]), 'UTF-8'],
  ])('the body %s is refused', async (payload, words) => {
    const refused = await put(payload);
    expect(outcome(refused)).toBe(error('invalid_request'));
    expect(refused.json().error.message).toContain(words);
    expect((await read()).url).toBeNull();
  });

  test('another Content-Type and a Content-Encoding are refused', async () => {
    const form = 'multipart/form-data; boundary=x';
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': form },
      { 'content-encoding': 'gzip' },
    ])
      expect(outcome(await put('{"url":null}', headers))).toBe(error('invalid_request'));
  });

  test('a body is bounded far below that of a job, before the key is looked at', async () => {
    const filled = (bytes: number) => JSON.stringify({ url: null, note: 'x'.repeat(bytes) });
    expect(outcome(await put(filled(LIMITS.endpointBodyBytes - 100)))).toBe('200');
    for (const headers of [{}, { 'x-api-key': 'wrong' }]) {
      const refused = await put(filled(LIMITS.endpointBodyBytes), headers);
      expectError(refused, 'payload_too_large', api.config.api.publicUrl);
      expect(refused.json().error.message).toBe('The body is over 32 KB.');
    }
  });

  test('a URL of 2,000 characters fits, with every character escaped', async () => {
    const escaped = Array.from(
      URL.padEnd(LIMITS.urlLength, 'x'),
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    expect(outcome(await put(`{"url":"${escaped.join('')}"}`))).toBe('200');
  });

  test('a body of unknown length is read no further than the bound', async () => {
    const chunked = ['Content-Type: application/json', 'Transfer-Encoding: chunked', 'Connection: close', ''];
    const head = [`PUT ${PATH} HTTP/1.1`, 'Host: x', `X-Api-Key: ${client.headers['x-api-key']}`, ...chunked];
    const port = await listen(api.app);
    const small = await exchange(port, ...head, 'c', '{"url":null}', '0', '');
    expect(small.statusCode).toBe(200);
    const large = await exchange(port, ...head, '9000', ' '.repeat(0x9000), '0', '');
    expect(outcome(large)).toBe(error('payload_too_large'));
  });
});

describe('POST /v1/webhook-endpoint/rotate-secret', () => {
  test('returns a new secret once, and keeps the one before for 24 hours', async () => {
    const { secret: first } = await stored();
    const before = Date.now();
    const response = await rotate();
    expect(outcome(response)).toBe('200');
    const rotated = response.json<WebhookSecret>();
    expect(Value.Check(WebhookSecret, rotated)).toBe(true);
    const endpoint = await stored();
    expect(signingSecrets(endpoint, new Date())).toEqual([rotated.secret, first]);
    const until = Date.parse(rotated.previous_secret_valid_until);
    expect(until).toBe(endpoint.previousUntil?.getTime());
    expect(until - before).toBeGreaterThanOrEqual(24 * 3600 * 1000);
    expect(signingSecrets(endpoint, new Date(until))).toEqual([rotated.secret]);
    expect((await get()).body).not.toContain(rotated.secret);
  });

  test('a repetition cuts no secret short that receivers still verify with', async () => {
    const secrets = [(await stored()).secret];
    for (let n = 0; n < 3; n += 1) secrets.unshift((await rotate()).json<WebhookSecret>().secret);
    const endpoint = await stored();
    expect(signingSecrets(endpoint, new Date())).toEqual(secrets);
    const untils = replacedSecrets(endpoint, new Date()).map(({ until }) => until.getTime());
    expect(untils).toEqual([...untils].sort((a, b) => b - a));
  });

  test('the bound holds for requests at once, and each secret that was returned is valid', async () => {
    const answers = await Promise.all(Array.from({ length: MAX_REPLACED_SECRETS + 12 }, rotate));
    const secrets = answers
      .filter(({ statusCode }) => statusCode === 200)
      .map((answer) => answer.json<WebhookSecret>().secret);
    expect(secrets).toHaveLength(MAX_REPLACED_SECRETS);
    expect(answers.filter((answer) => outcome(answer) === error('rate_limited'))).toHaveLength(12);
    expect(signingSecrets(await stored(), new Date())).toEqual(expect.arrayContaining(secrets));
  });

  test('the secrets that are valid at once are bounded, over all keys, until one is no longer', async () => {
    for (let n = 0; n < MAX_REPLACED_SECRETS; n += 1) expect(outcome(await rotate())).toBe('200');
    const { secret, olderSecrets = [] } = await stored();
    const refused = await rotate();
    expectError(refused, 'rate_limited', api.config.api.publicUrl);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(23 * 3600);
    expect((await stored()).secret).toBe(secret);
    const oldest = olderSecrets.at(-1);
    const account = api.stores.books.accounts.get(client.accountId);
    if (oldest === undefined || account === undefined) throw new Error('no older secret');
    account.webhook.olderSecrets = [...olderSecrets.slice(0, -1), { ...oldest, until: new Date() }];
    expect(outcome(await rotate())).toBe('200');
    expect((await stored()).olderSecrets).toHaveLength(MAX_REPLACED_SECRETS - 1);
  });
});
