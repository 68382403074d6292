import fc from 'fast-check';
import { Agent, fetch } from 'undici';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { isPublicAddress } from '../../../lib/egress/address.ts';
import { egressWarning, parseAllowOrigins } from '../../../lib/egress/allow-origins.ts';
import { EgressError } from '../../../lib/egress/error.ts';
import { parsePublicUrl, parseStoredUrl } from '../../../lib/egress/url.ts';
import { INNER_LITERALS, INNER_NAMES, PUBLIC_HOSTS } from './hosts.ts';

const nothing = parseAllowOrigins([]);

function refusal(url: string, allowed = nothing, base?: URL): EgressError | undefined {
  try {
    parsePublicUrl(url, allowed, base);
    return undefined;
  } catch (error) {
    if (error instanceof EgressError && error.kind === 'refused') return error;
    throw error;
  }
}

describe('hosts', () => {
  test.each([...INNER_LITERALS, ...INNER_NAMES])('%s is refused, at any port', (host) => {
    expect(refusal(`https://${host}/cat.jpg`)).toBeDefined();
    expect(refusal(`https://${host}:8443/cat.jpg?x=1#y`)).toBeDefined();
  });

  test.each(PUBLIC_HOSTS)('%s is accepted, at any port', (host) => {
    expect(refusal(`https://${host}/cat.jpg`)).toBeUndefined();
    expect(refusal(`https://${host}:8443`)).toBeUndefined();
  });

  test('the error message contains no address', () => {
    expect(refusal('https://0xa9fea9fe/')?.message).toBe(
      'The URL points to a host that is not on the public internet.',
    );
  });
});

describe('the rest of a URL', () => {
  test.each([
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'data:image/png;base64,AAAA',
    'blob:https://example.com/1',
    'javascript:alert(1)',
    '//example.com/',
    'example.com',
    'https://',
    'https:///',
    'https://example.com:65536/',
    'https://exa mple.com/',
    'https://1.2.3.4.5/',
    'https://256.1.1.1/',
    'https://09.0.0.1/',
    '',
    'https://user@example.com/',
    'https://user:secret@example.com/',
    'https://:secret@example.com/',
    'https://example.com@127.0.0.1/',
    'https://127.0.0.1\\@example.com/',
    'https:\\\\127.0.0.1/',
    'https:127.0.0.1',
    'https://127.0.0.1\t/',
    ' https://127.0.0.1/ ',
    'h\nttps://127.0.0.1/',
    'https://127.0.0.1#@example.com/',
    'https://127.0.0.1?@example.com/',
  ])('%j is refused', (url) => {
    expect(refusal(url)).toBeDefined();
  });

  test('does not change the host', () => {
    expect(parsePublicUrl('https://example.com/@127.0.0.1/?u=http://10.0.0.1', nothing).hostname).toBe(
      'example.com',
    );
  });

  test('a redirect is resolved against its base and named in the message', () => {
    const base = new URL('https://example.com/a/b');
    expect(parsePublicUrl('../c', nothing, base).href).toBe('https://example.com/c');
    expect(refusal('//10.0.0.1/', nothing, base)?.message).toMatch(/^The URL it redirects to points/);
    expect(refusal('http://example.com/', nothing, base)?.message).toMatch(/must begin with https/);
  });
});

describe('a port', () => {
  const url = (port: number) => `https://example.com:${port}/`;

  test('of another protocol is refused, and only one that browsers refuse', async () => {
    // undici refuses these ports before it connects, as the Fetch standard has it; of others, this
    // agent says so.
    const connect = () => {
      throw new Error('not blocked');
    };
    const dispatcher = new Agent({ connect });
    const blocked = async (port: number) => {
      const error = await fetch(url(port), { dispatcher }).catch(({ cause }: Error) => cause);
      return error instanceof Error && error.message === 'bad port';
    };
    for (let port = 1; port < 11_000; port += 1)
      if ((refusal(url(port)) !== undefined) !== (await blocked(port))) expect.fail(`port ${port}`);
  });

  test.each([22, 25, 6379, 443, 8443, 11211, 27017, 65535])('%i of an allowed origin is allowed', (port) => {
    expect(refusal(url(port), parseAllowOrigins([url(port)]))).toBeUndefined();
  });

  test('of another protocol is refused after a redirect, too', () => {
    expect(refusal('https://example.com:25/', nothing, new URL(url(443)))?.message).toBe(
      'The URL it redirects to must not have the port 25, which is not for HTTP.',
    );
  });
});

describe('a URL that is stored', () => {
  test.each([
    ['HTTPS://Hooks.Example.com:443', 'https://hooks.example.com/'],
    ['  https://hooks.example.com/a ', 'https://hooks.example.com/a'],
    ['https://b\u00fccher.example./\u00e9?q=\u00e9#f', 'https://xn--bcher-kva.example./%C3%A9?q=%C3%A9#f'],
    ['https:hooks.example.com\\a\\..\\b', 'https://hooks.example.com/b'],
    ['https://0x08.8.2056/', 'https://8.8.8.8/'],
    ['https://hooks.example.com/\u202egpj.exe', 'https://hooks.example.com/%E2%80%AEgpj.exe'],
    ['https://hooks.ex\u00adample.com/', 'https://hooks.example.com/'],
  ])('%j is stored as it is called', (text, href) => {
    expect(parseStoredUrl(text, nothing).href).toBe(href);
  });

  test('may have letters of Latin-1, also after thousands of other URLs', () => {
    for (let n = 0; n < 20_000; n += 1) refusal(`https://hooks.example.com/${n}`);
    expect(refusal('https://b\u00fccher.example/')).toBeUndefined();
  });

  test.each([
    'https://hooks.example.com/a\tb',
    'https://hooks.exa\nmple.com/',
    'https://hooks.example.com/\n',
    '\0https://hooks.example.com/',
    'https://hooks.example.com/\u007f',
    'https://hooks.example.com/\u0085',
    'https://hooks.example.com/a b',
    'https://hooks.example.com/a\u00a0b',
    'https://hooks.example.com/\u2028b',
    'https://hooks.example.com/a\u3000b',
  ])('%j is refused', (text) => {
    expect(() => parseStoredUrl(text, nothing)).toThrow(
      'The URL must not contain white space or control characters; encode them.',
    );
  });

  test('is not longer than the one that was sent may be', () => {
    const url = (path: string) => `https://hooks.example.com/${path}`;
    const longest = url('').padEnd(LIMITS.urlLength, 'a');
    expect(parseStoredUrl(longest, nothing).href).toBe(longest);
    expect(() => parseStoredUrl(url('\u00e9'.repeat(400)), nothing)).toThrow(
      '2000 characters once it is encoded',
    );
  });
});

describe('allowed origins', () => {
  const allowed = parseAllowOrigins(['http://127.0.0.1:8080', 'https://localhost']);

  test('match scheme, host and port', () => {
    expect(refusal('http://127.0.0.1:8080/x', allowed)).toBeUndefined();
    expect(refusal('https://localhost:443/x', allowed)).toBeUndefined();
    expect(refusal('https://127.0.0.1:8080/x', allowed)).toBeDefined();
    expect(refusal('http://127.0.0.1:8081/x', allowed)).toBeDefined();
    expect(refusal('http://127.0.0.1/x', allowed)).toBeDefined();
    expect(refusal('http://localhost/x', allowed)).toBeDefined();
    expect(refusal('http://u:p@127.0.0.1:8080/x', allowed)).toBeDefined();
  });

  test.each(['127.0.0.1:8080', 'http://a/b', 'http://a/?b', 'http://u@a', 'ftp://a', '*', 'null'])(
    '%j is rejected',
    (entry) => {
      expect(() => parseAllowOrigins([entry])).toThrow(entry);
    },
  );

  test('are listed in a warning, unless there are none', () => {
    expect(egressWarning(['http://127.0.0.1:8080'])).toContain('http://127.0.0.1:8080');
    expect(egressWarning([])).toBeUndefined();
  });
});

describe('any private IPv4 address', () => {
  const octet = fc.nat(255);
  const fixed = (value: number) => fc.constant(value);
  const privateAddress = fc.oneof(
    fc.tuple(fixed(0), octet, octet, octet),
    fc.tuple(fixed(10), octet, octet, octet),
    fc.tuple(fixed(127), octet, octet, octet),
    fc.tuple(fixed(100), fc.integer({ min: 64, max: 127 }), octet, octet),
    fc.tuple(fixed(169), fixed(254), octet, octet),
    fc.tuple(fixed(172), fc.integer({ min: 16, max: 31 }), octet, octet),
    fc.tuple(fixed(192), fixed(168), octet, octet),
    fc.tuple(fixed(198), fc.integer({ min: 18, max: 19 }), octet, octet),
    fc.tuple(fc.integer({ min: 224, max: 255 }), octet, octet, octet),
  );
  const radix = fc.constantFrom(
    (n: number) => String(n),
    (n: number) => `0${n.toString(8)}`,
    (n: number) => `0x${n.toString(16)}`,
    (n: number) => `0X000${n.toString(16).toUpperCase()}`,
    (n: number) => [...String(n)].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join(''),
  );
  const radices = fc.tuple(radix, radix, radix, radix);
  const asNumber = (parts: readonly number[]) => parts.reduce((sum, part) => sum * 256 + part, 0);

  test('is refused in any mixture of radix, length and separator', () => {
    const dot = fc.constantFrom('.', '\u3002', '\uff0e', '\uff61');
    const length = fc.integer({ min: 1, max: 4 });
    fc.assert(
      fc.property(
        privateAddress,
        radices,
        length,
        dot,
        fc.constantFrom('', '.'),
        (ip, write, n, sep, end) => {
          const parts = [...ip.slice(0, n - 1), asNumber(ip.slice(n - 1))];
          const host = parts.map((part, i) => write[i]?.(part) ?? '').join(sep) + end;
          expect(refusal(`https://${host}/`), host).toBeDefined();
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('is refused inside every IPv6 form that embeds it', () => {
    const hex = (ip: readonly number[]) =>
      `${asNumber(ip.slice(0, 2)).toString(16)}:${asNumber(ip.slice(2)).toString(16)}`;
    fc.assert(
      fc.property(privateAddress, (ip) => {
        const dotted = ip.join('.');
        const forms = ['::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::'];
        for (const form of forms.flatMap((prefix) => [prefix + dotted, prefix + hex(ip)]))
          expect(isPublicAddress(form), form).toBe(false);
        expect(isPublicAddress(`2002:${hex(ip)}::1`)).toBe(false);
        expect(isPublicAddress(`2001:0:${hex(ip)}::`)).toBe(false);
      }),
    );
  });
});

test('IPv6 addresses outside 2000::/3, and text that is not an address, are not public', () => {
  const group = fc.nat(0xffff).map((n) => n.toString(16));
  const outside = fc.nat(0xffff).filter((n) => n >> 13 !== 1);
  fc.assert(
    fc.property(outside, fc.array(group, { minLength: 7, maxLength: 7 }), (first, rest) => {
      expect(isPublicAddress([first.toString(16), ...rest].join(':'))).toBe(false);
    }),
  );
  for (const text of ['', 'example.com', '127.1', '8.8.8.8 ', '2606:4700::1%eth0', '[::1]'])
    expect(isPublicAddress(text)).toBe(false);
});
