import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createJobBodyReader, type JobBody } from '../../api/intake/job-body.ts';
import { MAX_DEPTH, MAX_VALUES } from '../../api/intake/json-scanner.ts';
import { ApiError } from '../../lib/contract/errors.ts';

const IMAGE = Buffer.from('pretend this is an image');
const BASE64 = IMAGE.toString('base64');

function read(body: string | Buffer, cuts: readonly number[] = []): JobBody {
  const bytes = Buffer.from(body);
  const reader = createJobBodyReader(bytes.length);
  let from = 0;
  for (const cut of [...cuts.map((n) => n % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    reader.write(bytes.subarray(from, cut));
    from = cut;
  }
  return reader.end();
}

const everyByte = (body: string) => Array.from(Buffer.from(body).keys());

function refusal(body: string | Buffer): string {
  try {
    read(body);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_request') return error.message;
    throw error;
  }
  throw new Error('the body was accepted');
}

function bytesOf({ image }: JobBody): Buffer | undefined {
  return image !== undefined && 'bytes' in image ? image.bytes : undefined;
}

describe('the parsed body', () => {
  test('has the image decoded and hashed, and the fields as JSON.parse returns them', () => {
    const { fields, image } = read(
      `{"tool":"declutter","image_base64":"${BASE64}","options":{"a":[1,null]}}`,
    );
    expect(fields).toEqual({ tool: 'declutter', options: { a: [1, null] } });
    expect(image).toEqual({ bytes: IMAGE, sha256: createHash('sha256').update(IMAGE).digest('hex') });
  });

  test.each([
    ['whitespace everywhere', ` \n{\t"image_base64" \r\n: \t"${BASE64}" \n, "tool" : "x" } \n`],
    ['an escaped key', `{"image\\u005fbase64":"${BASE64}","tool":"x"}`],
    ['a key of nothing but escapes', `{"${escapeAll('image_base64')}":"${BASE64}","tool":"x"}`],
    ['escaped slashes and letters', `{"tool":"x","image_base64":"${escapeAll(BASE64)}"}`],
  ])('is the same with %s, for any chunks', (_name, body) => {
    for (const cuts of [[], everyByte(body)]) {
      expect(read(body, cuts).fields).toEqual({ tool: 'x' });
      expect(bytesOf(read(body, cuts))).toEqual(IMAGE);
    }
  });

  test('may have escaped slashes, as PHP writes them', () => {
    const bytes = Buffer.alloc(300, 0xff);
    const body = `{"image_base64":"data:image\\/png;base64,${bytes.toString('base64').replaceAll('/', '\\/')}"}`;
    expect(read(body).image).toMatchObject({ bytes, declared: 'image/png' });
    expect(read(body, everyByte(body)).image).toMatchObject({ bytes, declared: 'image/png' });
  });

  test.each([
    ['a nested key of the same name', { options: { image_base64: BASE64 } }],
    ['the key inside an array', { options: [{ image_base64: BASE64 }] }],
    ['a string that looks like the member', { tool: `","image_base64":"${BASE64}"` }],
    ['the name as a value', { tool: 'image_base64', image_url: 'image_base64' }],
    ['a key that only starts with it', { image_base64_: BASE64, image_base6: BASE64 }],
    ['another type of value', { image_base64: [BASE64], tool: 'x' }],
    ['null', { image_base64: null }],
  ])('keeps as a field: %s', (_name, value) => {
    const body = JSON.stringify(value);
    expect(read(body, everyByte(body))).toEqual({ fields: value });
  });

  test('has no polluted prototype', () => {
    const { fields } = read('{"__proto__":{"tool":"x"},"constructor":{"prototype":{"tool":"y"}}}');
    expect(fields.tool).toBeUndefined();
    expect(Object.keys(fields)).toContain('constructor');
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
  });

  test('does not count whitespace between tokens towards its limit', () => {
    const body = `{"tool":"x",${' \n'.repeat(2_000_000)}"image_base64":"${BASE64}"}`;
    expect(bytesOf(read(body))).toEqual(IMAGE);
  });
});

describe('invalid_request', () => {
  test.each([
    ['nothing', ''],
    ['only whitespace', ' \n\t '],
    ['a byte-order mark', '\ufeff{}'],
    ['text after the object', `{"image_base64":"${BASE64}"} x`],
    ['two objects', `{}{"image_base64":"${BASE64}"}`],
    ['an object that does not end', `{"image_base64":"${BASE64}"`],
    ['an image that does not end', `{"image_base64":"${BASE64}`],
    ['a key without colon', `{"image_base64" "${BASE64}"}`],
    ['two colons', `{"image_base64"::"${BASE64}"}`],
    ['an unknown escape in the image', '{"image_base64":"\\x41"}'],
    ['a cut-off escape in the image', '{"image_base64":"\\u00"}'],
    ['spaces inside a literal', '{"a":tr ue}'],
    ['spaces inside a number', '{"a":1 2}'],
    ['an array', '[]'],
    ['a string', '"image_base64"'],
    ['null', 'null'],
    ['a lone surrogate in a value', '{"tool":"\\ud800"}'],
    ['a lone surrogate in a key, deep inside', '{"options":{"a":[{"\\udfff":1}]}}'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    [
      'an overlong slash',
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]),
    ],
  ])('%s', (_name, body) => {
    expect(refusal(body)).toMatch(/^The body /);
  });

  test.each([
    ['plain', `{"image_base64":"${BASE64}","image_base64":"${BASE64}"}`],
    ['one of them escaped', `{"image_base64":"${BASE64}","image\\u005fbase64":"${BASE64}"}`],
    ['one of them no string', `{"image_base64":1,"image_base64":"${BASE64}"}`],
  ])('image_base64 twice, %s', (_name, body) => {
    expect(refusal(body)).toBe('The body contains image_base64 twice.');
  });

  test('nesting over the limit, before the body has ended', () => {
    const reader = createJobBodyReader();
    expect(() => reader.write(Buffer.alloc(1_000_000, '['))).toThrow(`more than ${MAX_DEPTH} levels`);
    expect(read(`{"a":${'['.repeat(MAX_DEPTH - 1)}${']'.repeat(MAX_DEPTH - 1)}}`).fields).toHaveProperty('a');
  });

  test('too many values', () => {
    expect(refusal(`{"a":[${'1,'.repeat(MAX_VALUES)}1]}`)).toContain(`more than ${MAX_VALUES} values`);
  });

  test('over 1 MB besides the image and other long strings', () => {
    const members = Array.from({ length: 5000 }, (_, n) => `"${n}":"${'x'.repeat(250)}"`);
    expect(refusal(`{${members.join(',')}}`)).toContain('more than 1 MB');
  });
});

describe('compared with JSON.parse and Buffer.from', () => {
  const cuts = fc.array(fc.nat(), { maxLength: 12 });
  const object = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ stringUnit: 'grapheme' }));

  test('an object with an image, in any chunks, gives the same fields and bytes', () => {
    const image = fc.uint8Array({ minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(object, image, fc.boolean(), fc.nat(4), cuts, (fields, bytes, first, indent, at) => {
        const image_base64 = Buffer.from(bytes).toString('base64');
        const value = first ? { image_base64, ...fields } : { ...fields, image_base64 };
        const text = JSON.stringify({ ...value, image_base64 }, null, indent);
        const { image_base64: _image, ...expected } = JSON.parse(text);
        const body = read(text, at);
        expect(body.fields).toEqual(expected);
        expect(bytesOf(body)).toEqual(Buffer.from(bytes));
      }),
      { numRuns: 500 },
    );
  });

  test('arbitrary bytes are rejected exactly when JSON.parse rejects them or they are not an object', () => {
    const tokens = [
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"',
      '\\',
      '"image_base64"',
      '"AAAA"',
      '"a"',
      '1',
      'tru',
      ' ',
      '\n',
    ];
    const soup = fc.array(fc.oneof(fc.constantFrom(...tokens), fc.string({ maxLength: 2 })), {
      maxLength: 14,
    });
    const raw = fc.oneof(
      soup.map((parts) => Buffer.from(parts.join(''))),
      soup.map((parts) => Buffer.from(`{${parts.join('')}}`)),
      fc.tuple(object, fc.nat(), fc.nat(255)).map(([value, at, byte]) => {
        const bytes = Buffer.from(JSON.stringify({ ...value, image_base64: BASE64 }));
        bytes[at % bytes.length] = byte;
        return bytes;
      }),
    );
    fc.assert(
      fc.property(raw, cuts, (bytes, at) => {
        const expected = parsedObject(bytes);
        const actual = outcome(bytes, at);
        if (actual === 'stricter') return;
        expect(actual).toEqual(expected);
      }),
      { numRuns: 3000 },
    );
  });
});

/**
 * The fields as JSON.parse returns them, without a string at image_base64; undefined if they are
 * not an object.
 */
function parsedObject(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    if (typeof value.image_base64 === 'string') delete value.image_base64;
    return value;
  } catch {
    return undefined;
  }
}

function outcome(bytes: Buffer, at: number[]): Record<string, unknown> | 'stricter' | undefined {
  try {
    const { fields, image } = read(bytes, at);
    // Malformed base64 is rejected later, as an image, even if the JSON is malformed as well.
    return image !== undefined && 'malformed' in image ? 'stricter' : fields;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return /twice|surrogate/.test(error.message) ? 'stricter' : undefined;
  }
}

function escapeAll(text: string): string {
  return [...text].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}
