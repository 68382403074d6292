import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bodyDigest, canonicalJson, createJobBodyReader } from '../../api/intake/job-body.ts';

function digest(body: string): string {
  const reader = createJobBodyReader();
  reader.write(Buffer.from(body));
  return bodyDigest(reader.end());
}

const image = Buffer.from('an image').toString('base64');
const body = digest(`{"tool":"declutter","image_base64":"${image}","options":{"a":"1","b":"2"}}`);

describe('these bodies are the same', () => {
  test.each([
    ['keys in another order', `{"options":{"b":"2","a":"1"},"image_base64":"${image}","tool":"declutter"}`],
    [
      'other whitespace',
      `{ "tool" : "declutter",\n"image_base64":"${image}", "options":{"a":"1", "b":"2"} }`,
    ],
    [
      'other escapes',
      `{"to\\u006fl":"declutter","image_base64":"${image}","options":{"a":"\\u0031","b":"2"}}`,
    ],
  ])('%s', (_name, text) => expect(digest(text)).toBe(body));

  test('numbers are compared by value', () => {
    expect(digest('{"a":1.0,"b":100}')).toBe(digest('{"b":1e2,"a":1}'));
  });
});

describe('these bodies are different', () => {
  test.each([
    ['another tool', `{"tool":"pool","image_base64":"${image}","options":{"a":"1","b":"2"}}`],
    ['another image', `{"tool":"declutter","image_base64":"AAAA","options":{"a":"1","b":"2"}}`],
    [
      'a data-URI type',
      `{"tool":"declutter","image_base64":"data:image/png;base64,${image}","options":{"a":"1","b":"2"}}`,
    ],
    ['a number for a string', `{"tool":"declutter","image_base64":"${image}","options":{"a":1,"b":"2"}}`],
    ['no image', '{"tool":"declutter","options":{"a":"1","b":"2"}}'],
    ['a malformed image', '{"tool":"declutter","image_base64":"?","options":{"a":"1","b":"2"}}'],
  ])('%s', (_name, text) => expect(digest(text)).not.toBe(body));

  test('elements in another order, and numbers too large for a double', () => {
    expect(digest('{"a":[1,2]}')).not.toBe(digest('{"a":[2,1]}'));
    expect(digest('{"a":1e999}')).not.toBe(digest('{"a":null}'));
    expect(digest('{"a":1e999}')).not.toBe(digest('{"a":"Infinity"}'));
    expect(digest('{"a":1e999}')).not.toBe(digest('{"a":-1e999}'));
  });

  test('fields that imitate an image', () => {
    const reader = createJobBodyReader();
    reader.write(Buffer.from(`{"image_base64":"${image}"}`));
    const sent = reader.end().image;
    const sha256 = sent !== undefined && 'sha256' in sent ? sent.sha256 : '';
    const withImage = digest(`{"image_base64":"${image}"}`);
    for (const value of [{ sha256 }, `undeclared ${sha256}`, null])
      expect(bodyDigest({ fields: { image_base64: value } })).not.toBe(withImage);
    expect(bodyDigest({ fields: { [`\nundeclared ${sha256}`]: 1 } })).not.toBe(withImage);
  });
});

test('canonical JSON is JSON of the same value and stable', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(JSON.parse(text))).toBe(text);
    }),
  );
});
