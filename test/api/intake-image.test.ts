import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createImageField, type IncomingImage } from '../../api/intake/image-field.ts';

const MB = 1024 * 1024;

function decode(text: string, pieceLength = text.length || 1, maxBytes = 20 * MB): IncomingImage {
  const field = createImageField(maxBytes);
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.length; at += pieceLength)
    field.write(bytes, at, Math.min(at + pieceLength, bytes.length));
  return field.finish();
}

describe('base64', () => {
  test('every length decodes, in chunks of every size', () => {
    for (let length = 1; length <= 12; length++) {
      const bytes = randomBytes(length);
      for (let piece = 1; piece <= 17; piece++)
        expect(decode(bytes.toString('base64'), piece)).toMatchObject({ bytes });
    }
  });

  test('the digest is that of the decoded bytes, across many blocks', () => {
    const bytes = randomBytes(500_000);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    for (const piece of [1000, 65_536]) {
      const image = decode(bytes.toString('base64'), piece);
      if ('malformed' in image) throw new Error(image.malformed);
      expect(image.sha256).toBe(sha256);
      expect(image.bytes.equals(bytes)).toBe(true);
    }
  });

  test.each([
    ['nothing', ''],
    ['missing padding', 'QUE'],
    ['one character', 'Q'],
    ['one character too many', 'QUFBQ'],
    ['padding alone', '===='],
    ['too much padding', 'Q==='],
    ['padding after whole groups', 'QUFB='],
    ['padding in the middle', 'QQ==QUFB'],
    ['text after the padding', 'QQ==Q'],
    ['a padded group twice', 'QQ==QQ=='],
    ['unused bits that are not zero', 'QR=='],
    ['unused bits that are not zero, two bytes', 'QUF='],
    ['the URL-safe alphabet', 'QUFB-_-_QUFB'],
    ['the URL-safe alphabet at the end', 'QUF_'],
    ['a space', 'QUFB QUFB'],
    ['a line feed', 'QUFB\nQUFB\n'],
    ['a NUL', 'QUFB\0\0\0\0QUFB'],
    ['a character past ASCII', 'QUFBQUF\xe9QUFB'],
  ])('%s is rejected', (_name, text) => {
    for (const piece of [1, 3, 4, 100])
      expect(decode(text, piece)).toEqual({ malformed: expect.stringContaining('not base64') });
  });

  test('accepts exactly what Node would encode', () => {
    const text = fc.string({ unit: fc.constantFrom(...'AQgwZ+/=-_ \n'), maxLength: 24 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 9 }), (candidate, piece) => {
        const bytes = Buffer.from(candidate, 'base64');
        const canonical = candidate !== '' && bytes.toString('base64') === candidate;
        const result = decode(candidate, piece);
        expect(canonical ? result : 'malformed' in result).toEqual(
          canonical ? expect.objectContaining({ bytes }) : true,
        );
      }),
      { numRuns: 5000 },
    );
  });

  test('the limit is on decoded bytes, to the byte', () => {
    const bytes = randomBytes(3000);
    for (const piece of [7, 1000, 5000]) {
      expect(decode(bytes.toString('base64'), piece, 3000)).toHaveProperty('sha256');
      expect(decode(bytes.toString('base64'), piece, 2999)).toEqual({
        malformed: expect.stringContaining('over'),
      });
    }
  });
});

describe('the data-URI prefix', () => {
  const bytes = randomBytes(200);
  const base64 = bytes.toString('base64');

  test.each([
    ['data:image/jpeg;base64,', 'image/jpeg'],
    ['data:image/jpg;base64,', 'image/jpeg'],
    ['data:image/png;base64,', 'image/png'],
    ['DATA:Image/WebP;Base64,', 'image/webp'],
  ])('%s declares %s', (prefix, declared) => {
    for (const piece of [1, 5, 1000])
      expect(decode(prefix + base64, piece)).toMatchObject({ declared, bytes });
  });

  test('without a prefix nothing is declared', () => {
    expect(decode(base64)).not.toHaveProperty('declared');
    expect(decode(`data${base64}`)).toMatchObject({ bytes: Buffer.from(`data${base64}`, 'base64') });
  });

  test.each([
    'data:image/gif;base64,',
    'data:image/svg+xml;base64,',
    'data:text/html;base64,',
    'data:image/png,',
    'data:image/png;charset=utf-8;base64,',
    'data:;base64,',
    'data:',
    `data:image/png;${'x'.repeat(100)};base64,`,
  ])('%s is rejected', (prefix) => {
    for (const piece of [1, 1000])
      expect(decode(prefix + base64, piece)).toEqual({ malformed: expect.stringContaining('data URI') });
  });

  test('a prefix without data is rejected', () => {
    expect(decode('data:image/png;base64,')).toHaveProperty('malformed');
    expect(decode('data:image/png;base64')).toHaveProperty('malformed');
  });
});
