import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { clientAnswered, json } from './fake-fetch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** As fetch of Node rejects. */
const failed = (message: string, code?: string) =>
  new TypeError('fetch failed', {
    cause: Object.assign(new Error(message), code === undefined ? {} : { code }),
  });

async function timeToFail(call: Promise<unknown>) {
  const began = Date.now();
  const error = call
    .catch((thrown: unknown) => thrown)
    .then((thrown) => ({ thrown, ms: Date.now() - began }));
  await vi.runAllTimersAsync();
  return error;
}

describe('a service that was never reached', () => {
  test.each(['bad port', 'unknown scheme', 'not implemented... yet...'])(
    'is not asked again after: %s',
    async (message) => {
      const { client, sent } = clientAnswered(failed(message));
      const { thrown } = await timeToFail(client.account());
      expect(thrown).toMatchObject({
        name: 'ImageJobConnectionError',
        message: `The connection failed: ${message}`,
      });
      expect(sent).toHaveLength(1);
    },
  );

  test.each(['ENOTFOUND', 'ECONNREFUSED', 'CERT_HAS_EXPIRED', 'ERR_SSL_WRONG_VERSION_NUMBER'])(
    'is given 15 seconds to start after %s',
    async (code) => {
      const { client, sent } = clientAnswered(failed('', code));
      const { thrown, ms } = await timeToFail(client.account());
      expect(thrown).toMatchObject({ message: `The connection failed: ${code}` });
      expect(ms).toBeLessThan(15_000);
      expect(sent.length).toBeGreaterThan(3);
    },
  );
});

test.each<[string, Error]>([
  ['a service that has answered before is out of reach', failed('connect', 'ECONNREFUSED')],
  ['the connection is lost on the way', failed('other side closed', 'UND_ERR_SOCKET')],
])('a call goes on for two minutes when %s', async (_what, error) => {
  const { client } = clientAnswered(json({}), error);
  await client.account();
  expect((await timeToFail(client.account())).ms).toBeGreaterThan(100_000);
});

test('a connection that is lost at the first request is made again for two minutes', async () => {
  const { client } = clientAnswered(failed('other side closed', 'UND_ERR_SOCKET'));
  expect((await timeToFail(client.account())).ms).toBeGreaterThan(100_000);
});
