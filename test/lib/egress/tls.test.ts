import { describe, expect, test } from 'vitest';
import { createEgress } from '../../../lib/egress/egress.ts';
import { certificateFor, type Served, serveHttp, serveHttps, serveTcp } from './servers.ts';

const LIMITS = { timeoutMs: 5000, maxBytes: 1000, redirects: 3 };
const good = certificateFor('DNS:localhost');
const wrongName = certificateFor('DNS:other.example.com');

const urlOf = ({ port }: Served) => `https://localhost:${port}`;
const egressTo = (url: string, ca?: string) =>
  createEgress({ allowOrigins: [url], ...(ca === undefined ? {} : { ca }) });

describe('TLS', () => {
  test('a trusted certificate for the name is accepted, and SNI has the name', async () => {
    await using server = await serveHttps(good, (request, response) => {
      const { socket } = request;
      response.end('servername' in socket ? String(socket.servername) : '');
    });
    const url = urlOf(server);
    await using egress = egressTo(url, good.cert);
    expect((await egress.fetch(url, LIMITS)).body.toString()).toBe('localhost');
    // The second request resumes the TLS session.
    expect((await egress.fetch(url, LIMITS)).body.toString()).toBe('localhost');
  });

  test.each([
    ['is self-signed', good, undefined],
    ['names another host', wrongName, wrongName.cert],
  ])('a certificate that %s is refused, even at an allowed origin', async (_, certificate, ca) => {
    await using server = await serveHttps(certificate, (_request, response) => response.end('secret'));
    const url = urlOf(server);
    await using egress = egressTo(url, ca);
    await expect(egress.fetch(url, LIMITS)).rejects.toMatchObject({ kind: 'tls' });
    const post = egress.post(url, { headers: {}, body: 'x', timeoutMs: 5000, maxResponseBytes: 10 });
    await expect(post).rejects.toMatchObject({ kind: 'tls' });
  });

  test('a port without TLS is a TLS error', async () => {
    await using server = await serveHttp((_, response) => response.end('x'));
    await using egress = egressTo(urlOf(server));
    await expect(egress.fetch(urlOf(server), LIMITS)).rejects.toMatchObject({ kind: 'tls' });
  });

  test('a handshake that stalls times out', async () => {
    await using server = await serveTcp(() => {});
    await using egress = egressTo(urlOf(server));
    await expect(egress.fetch(urlOf(server), { ...LIMITS, timeoutMs: 200 })).rejects.toMatchObject({
      kind: 'timeout',
    });
  });

  test('a redirect from https to http is refused', async () => {
    await using plain = await serveHttp((_, response) => response.end('secret'));
    await using server = await serveHttps(good, (_, response) =>
      response.writeHead(302, { location: plain.origin }).end(),
    );
    const url = urlOf(server);
    await using egress = egressTo(url, good.cert);
    await expect(egress.fetch(url, LIMITS)).rejects.toMatchObject({ kind: 'refused' });
    expect(plain.connections()).toBe(0);
  });
});
