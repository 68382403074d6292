import type { LookupAddress } from 'node:dns';
import { connect, type LookupFunction, Socket } from 'node:net';
import { type buildConnector, request } from 'undici';
import { describe, expect, test, vi } from 'vitest';
import { parseAllowOrigins } from '../../../lib/egress/allow-origins.ts';
import { publicConnector } from '../../../lib/egress/connector.ts';
import { createEgress, type EgressError } from '../../../lib/egress/egress.ts';
import type { Resolve } from '../../../lib/egress/resolve.ts';
import { INNER_LITERALS, INNER_NAMES } from './hosts.ts';
import { serveHttp } from './servers.ts';

const LIMITS = { timeoutMs: 2000, maxBytes: 1000, redirects: 3 };
const PUBLIC: LookupAddress = { address: '8.8.8.8', family: 4 };
const PUBLIC_V6: LookupAddress = { address: '2606:4700:4700::1111', family: 6 };
const INNER: LookupAddress = { address: '127.0.0.1', family: 4 };

const egressWith = (resolve: Resolve) => createEgress({ allowOrigins: [], resolve });
const kindOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'passed',
    (error) => error.kind,
  );

describe('a name', () => {
  test.each([
    ['loopback', [INNER]],
    ['a public address and a private one', [PUBLIC, { address: '10.0.0.1', family: 4 }]],
    ['a private one behind many', [...Array(20).fill(PUBLIC), { address: 'fd00::1', family: 6 }]],
    ['a mapped address', [PUBLIC, { address: '::ffff:8.8.8.8', family: 6 }]],
    ['NAT64', [{ address: '64:ff9b::8.8.8.8', family: 6 }]],
    ['a link-local address with a zone', [{ address: 'fe80::1%eth0', family: 6 }]],
    ['text that is not an address', [{ address: 'example.com', family: 4 }]],
  ])('that resolves to %s is refused by check, fetch and post', async (_, addresses) => {
    await using egress = egressWith(async () => addresses);
    const url = 'https://hooks.example.com/x';
    expect(await kindOf(egress.check(url))).toBe('refused');
    expect(await kindOf(egress.fetch(url, LIMITS))).toBe('refused');
    const post = egress.post(url, { headers: {}, body: '', timeoutMs: 2000, maxResponseBytes: 10 });
    expect(await kindOf(post)).toBe('refused');
  });

  test('that does not resolve passes the check but not the fetch', async () => {
    for (const resolve of [async () => [], () => Promise.reject(new Error('SERVFAIL'))]) {
      await using egress = egressWith(resolve);
      expect(await kindOf(egress.check('https://new.example.com/'))).toBe('passed');
      expect(await kindOf(egress.fetch('https://new.example.com/', LIMITS))).toBe('unresolved');
    }
  });

  test('that is public when checked and private when called is refused', async () => {
    const resolve = vi.fn<Resolve>().mockResolvedValueOnce([PUBLIC]).mockResolvedValue([INNER]);
    await using egress = egressWith(resolve);
    expect(await kindOf(egress.check('https://rebind.example.com/'))).toBe('passed');
    expect(await kindOf(egress.fetch('https://rebind.example.com/', LIMITS))).toBe('refused');
  });

  test('is in the error message, and its address only in the cause', async () => {
    await using egress = egressWith(async () => [{ address: '10.1.2.3', family: 4 }]);
    const error: EgressError = await egress.check('https://a.example.com/').then(
      () => expect.fail('passed'),
      (thrown) => thrown,
    );
    expect(error.message).toBe('The host a.example.com is not on the public internet.');
    expect(String(error.cause)).toContain('10.1.2.3');
  });

  test('is not looked up when it is a literal, a special-use name, or an allowed origin', async () => {
    const resolve = vi.fn<Resolve>().mockResolvedValue([PUBLIC]);
    await using server = await serveHttp((_, response) => response.end('x'));
    await using egress = createEgress({ allowOrigins: [server.origin], resolve });
    for (const host of [...INNER_LITERALS, ...INNER_NAMES])
      expect(await kindOf(egress.check(`https://${host}/`))).toBe('refused');
    expect(await kindOf(egress.check('https://8.8.8.8/'))).toBe('passed');
    expect(await kindOf(egress.check(server.origin))).toBe('passed');
    expect(await kindOf(egress.fetch(server.origin, LIMITS))).toBe('passed');
    expect(resolve).not.toHaveBeenCalled();
  });

  test("is not checked further after the caller's abort", async () => {
    await using egress = egressWith(() => new Promise(() => {}));
    const reason = new Error('stop');
    await expect(egress.check('https://a.example.com/', AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe('the connector', () => {
  const target = { hostname: 'a.example.com', host: 'a.example.com', protocol: 'https:', port: '' };
  const nothing = parseAllowOrigins([]);
  type Dial = typeof buildConnector;

  /**
   * Connects through a connector with this dial function. Resolves with the socket or rejects with
   * the error.
   */
  function open(resolve: Resolve, dial: Dial, to: buildConnector.Options = target): Promise<Socket> {
    const connector = publicConnector({ allowed: nothing, resolve, dial });
    return new Promise((done, fail) => {
      connector(to, (error, socket) => (error === null ? done(socket) : fail(error)));
    });
  }

  /**
   * A dial function that looks names up like node:net, and records the addresses instead of
   * connecting.
   */
  const recording =
    (addresses: unknown[]): Dial =>
    (options) => {
      const { lookup } = options as { lookup?: LookupFunction };
      return ({ hostname }, callback) =>
        lookup?.(hostname, { all: true }, (error, found) => {
          if (!error) addresses.push(...(found as LookupAddress[]));
          callback(error ?? new Error('recorded'), null);
        });
    };

  test('dials the addresses it checked, after one lookup', async () => {
    const resolve = vi.fn<Resolve>().mockResolvedValueOnce([PUBLIC, PUBLIC_V6]).mockResolvedValue([INNER]);
    const dialled: unknown[] = [];
    await expect(open(resolve, recording(dialled))).rejects.toThrow('recorded');
    expect(dialled).toEqual([PUBLIC, PUBLIC_V6]);
    expect(resolve).toHaveBeenCalledTimes(1);
  });

  test('dials only a few of many addresses', async () => {
    const dialled: unknown[] = [];
    await expect(open(async () => Array(500).fill(PUBLIC), recording(dialled))).rejects.toThrow('recorded');
    expect(dialled).toHaveLength(6);
  });

  test('returns one address to a dial function that requests one', async () => {
    const single: Dial = (options) => {
      const { lookup } = options as { lookup?: LookupFunction };
      return ({ hostname }, callback) =>
        lookup?.(hostname, {}, (_, ...found) => callback(new Error(found.join('/')), null));
    };
    await expect(open(async () => [PUBLIC, PUBLIC_V6], single)).rejects.toThrow('8.8.8.8/4');
  });

  test('destroys a socket whose peer is not public', async () => {
    await using server = await serveHttp(() => {});
    const dialLoopback: Dial = () => (_, callback) => {
      const socket = connect(server.port, '127.0.0.1', () => callback(null, socket));
    };
    await expect(open(async () => [PUBLIC], dialLoopback)).rejects.toMatchObject({ kind: 'refused' });
    await expect.poll(() => server.open()).toBe(0);
  });

  test('refuses a socket without a peer address', async () => {
    const dialNothing: Dial = () => (_, callback) => callback(null, new Socket());
    await expect(open(async () => [PUBLIC], dialNothing)).rejects.toMatchObject({ kind: 'refused' });
  });

  test.each([
    { ...target, hostname: '127.0.0.1' },
    { ...target, hostname: '[::1]' },
    { ...target, hostname: '::ffff:127.0.0.1' },
    { ...target, hostname: 'localhost' },
    { ...target, protocol: 'http:' },
  ])('checks the target: $protocol $hostname', async (to) => {
    const dial = vi.fn<Dial>(() => () => expect.fail('dialled'));
    await expect(open(async () => [PUBLIC], dial, to)).rejects.toMatchObject({ kind: 'refused' });
  });

  test('protects undici without further checks, also against literals', async () => {
    const { Agent } = await import('undici');
    await using server = await serveHttp((_, response) => response.end('secret'));
    const dispatcher = new Agent({
      connect: publicConnector({ allowed: nothing, resolve: async () => [INNER] }),
    });
    for (const origin of [server.origin, `https://127.0.0.1:${server.port}`, `https://a.example.com`])
      await expect(request(origin, { dispatcher })).rejects.toMatchObject({ kind: 'refused' });
    expect(server.connections()).toBe(0);
    await dispatcher.destroy();
  });
});
