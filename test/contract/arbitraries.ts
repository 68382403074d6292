import fc, { type Arbitrary } from 'fast-check';
import { CHOICES, FREE, NAMED, SLUGS } from '../lib/catalog/spec-tables.ts';
import { IMAGE_URL } from './fake-api.ts';

/**
 * Strings that often break code: empty, controls, lone surrogates, bidi marks, prototype keys,
 * operators, huge.
 */
const nasty = fc.constantFrom(
  ...[
    '',
    ' ',
    '\0',
    'a\0b',
    '\r\n',
    '\ud800',
    '\udc00\ud800',
    '\u202e',
    '\ufeff',
    '😀'.repeat(200),
    '\u0301'.repeat(300),
  ],
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '$where',
    '$gt',
    'a.b',
    '../..',
    '%00',
  ],
  ...[
    'null',
    'undefined',
    'NaN',
    'true',
    '0',
    '-1',
    '1e999',
    '{{7*7}}',
    `\${x}`,
    "' OR 1=1",
    '<script>',
    '2K',
    '4K',
  ],
  ...[
    'x'.repeat(101),
    'x'.repeat(501),
    'x'.repeat(2001),
    'x'.repeat(40_000),
    'https://127.0.0.1/',
    'data:image/png;base64,',
  ],
);
const text = fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 40 }), fc.string({ maxLength: 40 }));

const number = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(0, -0, 2 ** 53, 1e308, -1e308, Number.MIN_VALUE),
);
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const nested = fc.integer({ min: 1, max: 90 }).map((depth) => {
  let value: unknown = 'deep';
  for (let n = 0; n < depth; n += 1) value = n % 2 === 0 ? [value] : { ['__proto__']: value, a: value };
  return depth > 20 ? [depth] : value;
});
/** Any JSON value, including own `__proto__` members, which JSON.parse creates. */
export const anything: Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 5 }) },
  { weight: 1, arbitrary: fc.dictionary(text, scalar, { maxKeys: 5 }) },
  { weight: 1, arbitrary: nested },
);

const slug = fc.constantFrom(...SLUGS.map(([name]) => name));
const optionKey = fc.constantFrom(
  ...['resolution', 'tier', 'customPrompt', 'style', 'roomType', 'description', 'targetColor'],
  ...Object.values(CHOICES).flatMap((rows) => rows.map(([key]) => key)),
  ...FREE.map(([, key]) => key),
  ...NAMED.flatMap(([, keys]) => keys),
);
const optionValue = fc.constantFrom(
  ...['auto', 'guided', 'custom', '2K', '4K', 'true', '#FFFFFF'],
  ...Object.values(CHOICES).flatMap((rows) => rows.flatMap(([, values]) => values.split(', '))),
);
const options = fc
  .tuple(
    fc.dictionary(fc.oneof(optionKey, text), fc.oneof(optionValue, anything), { maxKeys: 6 }),
    fc.constantFrom({}, { tier: 'auto' }, { tier: 'custom', customPrompt: 'Warm light.' }),
  )
  .map((objects) => Object.assign({}, ...objects) as Record<string, unknown>);

/** Mostly valid, so that the later checks are reached as well. */
const mostly = <T>(valid: Arbitrary<T>): Arbitrary<unknown> =>
  fc.oneof({ weight: 6, arbitrary: valid }, { weight: 1, arbitrary: anything });

const url = fc.oneof(
  fc.constant(IMAGE_URL),
  fc.webUrl({ validSchemes: ['http', 'https', 'ftp'], withFragments: true, withQueryParameters: true }),
  fc.ipV4().map((host) => `https://${host}/`),
  fc.ipV6().map((host) => `https://[${host}]/`),
  text.map((host) => `https://${host}/`),
);

/** Bodies of POST /v1/jobs, before serialisation. */
export function jobBodies(base64: string): Arbitrary<Record<string, unknown>> {
  const damaged = fc.tuple(fc.nat(base64.length), text).map(([at, junk]) => base64.slice(0, at) + junk);
  const image = fc.oneof(
    { weight: 4, arbitrary: fc.constant(base64) },
    fc.constantFrom('png', 'webp', 'jpg', 'gif').map((type) => `data:image/${type};base64,${base64}`),
    fc.base64String({ maxLength: 200 }),
    damaged,
  );
  const withImage = fc.oneof(
    { weight: 5, arbitrary: fc.record({ image_base64: mostly(image) }) },
    { weight: 2, arbitrary: fc.record({ image_url: mostly(url) }) },
    { weight: 1, arbitrary: fc.record({ image_base64: mostly(image), image_url: mostly(url) }) },
  );
  const others = fc.record(
    { tool: mostly(slug), options: mostly(options), webhook_url: mostly(url) },
    { requiredKeys: ['tool'] },
  );
  const unknown = fc.dictionary(text, anything, { maxKeys: 2 });
  return fc.tuple(unknown, others, withImage).map((objects) => Object.assign({}, ...objects));
}

/** A header value that may be sent (RFC 9110, 5.5): no control characters except tab. */
const headerValue = fc
  .oneof(text, fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((c) => String.fromCharCode(c)) }))
  .map((value) => value.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?').slice(0, 3000));

/** Headers that the service reads. They mostly contain `apiKey`. */
export function headers(apiKey: string): Arbitrary<Record<string, string>> {
  const known = fc.record(
    {
      'x-api-key': fc.oneof({ weight: 8, arbitrary: fc.constant(apiKey) }, headerValue),
      'content-type': fc.oneof({ weight: 8, arbitrary: fc.constant('application/json') }, headerValue),
      'idempotency-key': headerValue,
      'x-request-id': headerValue,
      'content-encoding': fc.oneof(fc.constant('identity'), headerValue),
      'accept-version': headerValue,
      'x-forwarded-for': headerValue,
      accept: headerValue,
      expect: headerValue,
      origin: headerValue,
      'access-control-request-method': headerValue,
      'x-http-method-override': fc.constantFrom('DELETE', 'PUT'),
      cookie: headerValue,
      range: headerValue,
      'if-none-match': fc.constant('*'),
    },
    { requiredKeys: ['x-api-key', 'content-type'] },
  );
  const idempotencyKeys = fc.oneof(
    { weight: 2, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom('a', 'b', 'c') },
  );
  // At most one unusual header at a time.
  return fc
    .tuple(known, idempotencyKeys, fc.nat(), fc.boolean())
    .map(([all, idempotencyKey, pick, plain]) => {
      const [apiKeyPair, typePair, ...rest] = Object.entries(all);
      const extra = plain ? undefined : rest[pick % (rest.length || 1)];
      const key = idempotencyKey === null ? undefined : ['idempotency-key', idempotencyKey];
      return Object.fromEntries([apiKeyPair, typePair, key, extra].flatMap((pair) => (pair ? [pair] : [])));
    });
}

/** The bytes with an inserted string and a part that is removed or repeated. */
export const damage = (bytes: Buffer): Arbitrary<Buffer> =>
  fc
    .tuple(fc.nat(bytes.length), fc.nat(60), fc.oneof(fc.uint8Array({ maxLength: 30 }), text), fc.boolean())
    .map(([at, skip, junk, repeat]) =>
      Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from(junk as string),
        bytes.subarray(repeat ? Math.max(at - skip, 0) : at + skip),
      ]),
    );

export const paths = (jobId: string): Arbitrary<string> =>
  fc
    .oneof(
      fc.constantFrom(
        '/v1/jobs',
        '/v1/tools',
        '/v1/account',
        '/v1',
        '/',
        '/docs',
        '/openapi.json',
        '/docs/errors',
      ),
      fc.constant(`/v1/jobs/${jobId}`),
      fc.uuid().map((id) => `/v1/jobs/${id}`),
      text.map((id) => `/v1/jobs/${encodeURIComponent(id.replace(/\p{Surrogate}/gu, '?')).slice(0, 2000)}`),
      fc.webPath().map((path) => `/v1${path}`),
    )
    .map((path) => `/api${path}`);
