import { createSocket } from 'node:dgram';
import { describe, expect, test } from 'vitest';
import { dnsResolve } from '../../../lib/egress/resolve.ts';

const A = 1;
const AAAA = 28;
const SERVER_FAILURE = 2;
const NO_SUCH_NAME = 3;

type Zone = Record<string, { [A]?: number[][] | number; [AAAA]?: number[][] | number }>;

/**
 * A name server. A zone entry lists addresses as bytes, or is an error as its RCODE (RFC 1035,
 * 4.1).
 */
async function serveDns(zone: Zone) {
  const socket = createSocket('udp4');
  const queried: string[] = [];
  socket.on('message', (query, { port, address }) => {
    const { name, end } = nameIn(query);
    const type = query.readUInt16BE(end);
    queried.push(name);
    const found = zone[name]?.[type === A ? A : AAAA] ?? (zone[name] ? [] : NO_SUCH_NAME);
    const records = typeof found === 'number' ? [] : found;
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(0x8180 | (typeof found === 'number' ? found : 0), 2);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt32BE(0, 8);
    const answerRecords = records.map((bytes) =>
      Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]),
    );
    socket.send(Buffer.concat([head, query.subarray(12, end + 4), ...answerRecords]), port, address);
  });
  await new Promise<void>((bound) => socket.bind(0, '127.0.0.1', bound));
  return {
    resolve: dnsResolve([`127.0.0.1:${socket.address().port}`]),
    queried,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((closed) => socket.close(closed));
    },
  };
}

function nameIn(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

const V6 = [0x26, 0x06, 0x47, 0, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11];

describe('DNS', () => {
  test('is queried for both families, and every address is returned', async () => {
    await using dns = await serveDns({
      'a.example.com': {
        [A]: [
          [8, 8, 8, 8],
          [10, 0, 0, 1],
        ],
        [AAAA]: [V6],
      },
    });
    expect(await dns.resolve('a.example.com')).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '10.0.0.1', family: 4 },
      { address: '2606:4700:4700::1111', family: 6 },
    ]);
  });

  test.each([
    ['has none', []],
    ['fails', SERVER_FAILURE],
  ])('may resolve one family when the other %s', async (_, none) => {
    await using dns = await serveDns({
      'four.example.com': { [A]: [[8, 8, 8, 8]], [AAAA]: none },
      'six.example.com': { [A]: none, [AAAA]: [V6] },
    });
    expect(await dns.resolve('four.example.com')).toHaveLength(1);
    expect(await dns.resolve('six.example.com')).toHaveLength(1);
  });

  test('fails when there is no address', async () => {
    await using dns = await serveDns({
      'empty.example.com': {},
      'broken.example.com': { [A]: 2, [AAAA]: 2 },
    });
    for (const name of ['empty', 'broken', 'missing'])
      await expect(dns.resolve(`${name}.example.com`)).rejects.toThrow();
  });

  test('is queried without search domains', async () => {
    await using dns = await serveDns({});
    await expect(dns.resolve('missing.example.com')).rejects.toThrow('ENOTFOUND');
    expect(new Set(dns.queried)).toEqual(new Set(['missing.example.com']));
  });
});
