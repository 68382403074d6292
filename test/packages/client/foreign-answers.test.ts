import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ImageJobs } from '../../../packages/client/src/index.ts';
import { API_KEY, BASE_URL, clientAnswered, json } from './fake-fetch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What the call fails with when each of its attempts gets this answer. */
async function errorOf(answer: Response): Promise<unknown> {
  const { client } = clientAnswered(answer);
  const error = client.account().catch((thrown: unknown) => thrown);
  await vi.runAllTimersAsync();
  return error;
}

describe('what does not come from the service', () => {
  test('as a redirect is not followed with the key, and baseUrl is to be changed', async () => {
    const headers = { Location: 'https://user:word@other.example/api/v1/account?token=1' };
    const { client, sent } = clientAnswered(new Response(null, { status: 301, headers }));
    await expect(client.account()).rejects.toMatchObject({
      code: 'unexpected_response',
      status: 301,
      message:
        '301: baseUrl redirects to https://other.example, and the API key is not sent on. Set baseUrl to the final URL.',
    });
    expect(sent.map(({ init }) => init.redirect)).toEqual(['manual']);
  });

  test.each([
    ['page with its title', '<title>Log in to the WLAN</title>', 'Log in to the WLAN'],
    ['page without a title with its type', '<h1>Hello</h1>', 'text/html'],
    ['short text', 'no healthy upstream', 'no healthy upstream'],
  ])('as a %s is named', async (_what, body, shown) => {
    const answer = new Response(body, { headers: { 'Content-Type': 'text/html; charset=utf-8' } });
    expect(await errorOf(answer)).toMatchObject({
      code: 'unexpected_response',
      status: 200,
      message: `200, not from the service: ${shown}. Check baseUrl and any proxy.`,
    });
  });

  test.each([
    ['a page', `<title>${API_KEY}</title><pre>x-api-key: ${API_KEY}</pre>`],
    ['JSON', JSON.stringify({ headers: { 'x-api-key': API_KEY } })],
    ['text', API_KEY],
    ['an error of the same shape', JSON.stringify({ error: { code: 'no', message: `No ${API_KEY}` } })],
  ])('as %s that echoes the API key does not show it', async (_what, body) => {
    const error = await errorOf(new Response(body, { status: 502 }));
    expect(error).toMatchObject({ name: 'ImageJobError', status: 502 });
    expect(String(error)).not.toContain(API_KEY);
  });

  test('as a result is not saved', async () => {
    const job = { result_urls: ['https://images.example.com/a.jpeg'] };
    const page = new Response('<title>Log in</title>', {
      headers: { 'Content-Type': 'text/html; charset=utf-8' },
    });
    for (const [answer, message] of [
      [page, 'The download is no JPEG, PNG or WebP but text/html.'],
      [new Response(null), 'The download is no JPEG, PNG or WebP.'],
    ] as const) {
      const { client, sent } = clientAnswered(json(job), answer);
      const downloading = client.jobs.download(await client.jobs.get('a'));
      await expect(downloading).rejects.toMatchObject({ code: 'unexpected_response', status: 200, message });
      expect(sent).toHaveLength(2);
    }
  });

  test('without an end is not read on', async () => {
    const part = new Uint8Array(1_000_000);
    for (const [call, megabytes] of [
      ['account', 20],
      ['download', 200],
    ] as const) {
      let parts = 0;
      const cancel = vi.fn();
      const endless = new ReadableStream({
        pull(stream) {
          parts += 1;
          stream.enqueue(part);
        },
        cancel,
      });
      const { client } = clientAnswered(
        json({ result_urls: ['https://images.example.com/a'] }),
        () => new Response(endless),
      );
      const job = await client.jobs.get('a');
      const reading = call === 'account' ? client.account() : client.jobs.download(job);
      await expect(reading).rejects.toMatchObject({
        code: 'unexpected_response',
        message: `200 with a body of more than ${megabytes} MB, which the service does not send.`,
      });
      expect(parts).toBeLessThan(megabytes + 5);
      expect(cancel).toHaveBeenCalledOnce();
    }
  });
});

describe('a client is not made', () => {
  test.each([
    ['an empty key', { apiKey: '' }, 'apiKey is empty'],
    ['a key with a line break', { apiKey: 'ij_secret\n' }, 'apiKey is empty, or has characters'],
    [
      'a base URL without a scheme',
      { baseUrl: 'api.example.com/api' },
      'baseUrl must be an http or https URL',
    ],
    ['a base URL with a query', { baseUrl: `${BASE_URL}?x=1` }, 'remove everything from ? or # on'],
    ['a base URL with a fragment', { baseUrl: `${BASE_URL}#x` }, 'remove everything from ? or # on'],
    [
      'a base URL with a password',
      { baseUrl: 'https://user:ij_secret@example.com/api' },
      'no user name or password',
    ],
    ['a file as base URL', { baseUrl: 'file:///api' }, 'baseUrl must be an http or https URL'],
  ])('of %s', (_what, wrong, message) => {
    const make = () => new ImageJobs({ apiKey: API_KEY, baseUrl: BASE_URL, ...wrong });
    expect(make).toThrow(message);
    expect(make).not.toThrow('ij_secret');
  });
});
