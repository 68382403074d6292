import type { LookupFunction } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Agent, buildConnector, request } from 'undici';
import { expect, test, vi } from 'vitest';
import { parseAllowOrigins } from '../../../lib/egress/allow-origins.ts';
import { publicConnector } from '../../../lib/egress/connector.ts';
import { createEgress } from '../../../lib/egress/egress.ts';
import type { Resolve } from '../../../lib/egress/resolve.ts';
import { certificateFor, serveHttps } from './servers.ts';

test('a name with a trailing dot is looked up with the dot', async () => {
  const resolve = vi.fn<Resolve>().mockResolvedValue([{ address: '10.0.0.1', family: 4 }]);
  await using egress = createEgress({ allowOrigins: [], resolve });
  await expect(egress.check('https://example.com./a.png')).rejects.toMatchObject({ kind: 'refused' });
  expect(resolve).toHaveBeenCalledExactlyOnceWith('example.com.');
});

test('the Host header keeps the trailing dot; SNI and certificate do not have it', async () => {
  const certificate = certificateFor('DNS:example.com');
  await using server = await serveHttps(certificate, ({ headers, socket }, response) =>
    response.end(`${headers.host} ${(socket as TLSSocket).servername}`),
  );
  const origin = `https://example.com.:${server.port}`;
  const loopback: LookupFunction = (_host, _options, callback) =>
    callback(null, [{ address: '127.0.0.1', family: 4 }]);
  const connect = publicConnector({
    allowed: parseAllowOrigins([origin]),
    resolve: async () => [],
    ca: certificate.cert,
    dial: (options) => buildConnector({ ...options, lookup: loopback }),
  });
  const dispatcher = new Agent({ connect });
  const { body } = await request(origin, { dispatcher });
  expect(await body.text()).toBe(`example.com.:${server.port} example.com`);
  await dispatcher.destroy();
});
