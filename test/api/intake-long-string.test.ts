import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createJobBodyReader } from '../../api/intake/job-body.ts';
import { LONG_STRING } from '../../api/intake/json-strings.ts';

const MB = 1024 * 1024;

function read(body: string, cuts: readonly number[] = []) {
  const bytes = Buffer.from(body);
  const reader = createJobBodyReader();
  let from = 0;
  for (const cut of [...cuts.map((n) => n % bytes.length).sort((a, b) => a - b), bytes.length]) {
    reader.write(bytes.subarray(from, cut));
    from = cut;
  }
  return reader.end();
}
const mask = (text: string, cuts?: readonly number[]) =>
  String(read(`{"tool":"pool","mask":"${text}","options":{"a":1}}`, cuts).fields.mask);

describe('a string longer than any the API uses', () => {
  test('is truncated and gets a digest; other fields are unchanged', () => {
    const { fields } = read(`{"tool":"pool","mask":"${'x'.repeat(8 * MB)}","options":{"a":1}}`);
    expect(fields).toEqual({
      tool: 'pool',
      mask: `${'x'.repeat(LONG_STRING)}${String(fields.mask).slice(LONG_STRING)}`,
      options: { a: 1 },
    });
    expect(String(fields.mask).slice(LONG_STRING)).toMatch(/^[0-9a-f]{64}$/);
  });

  test('differs from another one, wherever they differ', () => {
    const text = 'x'.repeat(LONG_STRING * 3);
    const at = (n: number) => mask(`${text.slice(0, n)}y${text.slice(n + 1)}`);
    const all = [0, LONG_STRING - 1, LONG_STRING, LONG_STRING + 1, text.length - 1].map(at);
    expect(new Set([mask(text), mask(`${text}x`), ...all]).size).toBe(7);
  });

  test('may be a key, or nested', () => {
    const long = 'k'.repeat(2 * MB);
    expect(Object.keys(read(`{"${long}":1,"tool":"pool"}`).fields)).toEqual([
      expect.stringMatching(/^k{32768}[0-9a-f]{64}$/),
      'tool',
    ]);
    expect(read(`{"options":{"a":["${long}",{"image_base64":"${long}"}]}}`).image).toBeUndefined();
  });

  test.each([
    ['an escaped quote', '\\"'],
    ['backslashes', '\\\\'],
    ['escaped emoji', ' \\ud83d\\ude00'],
    ['raw emoji', '😀'],
    ['umlauts and escapes', 'ä\\n'],
  ])('is truncated between characters: %s', (_what, unit) => {
    for (let shift = 0; shift < 16; shift += 1) {
      const text = `${'x'.repeat(shift)}${`${unit}plain`.repeat(LONG_STRING / 4)}`;
      const truncated = mask(text);
      expect(JSON.parse(`"${text}"`).startsWith(truncated.slice(0, -64))).toBe(true);
    }
  });

  test('gives the same result for any chunks', () => {
    const text = fc.array(fc.constantFrom('x', '\\"', '\\\\', 'ä', '\\u00e4', '😀'), {
      minLength: 1,
      maxLength: 60,
    });
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 20 }), (units, cuts) => {
        const long = `${'x'.repeat(LONG_STRING)}${units.join('')}`;
        expect(
          mask(
            long,
            cuts.map((n) => LONG_STRING + n),
          ),
        ).toBe(mask(long));
      }),
      { numRuns: 300 },
    );
  });

  test('that consists of escapes is kept, up to the limit of everything besides the image', () => {
    expect(mask('\\u0041'.repeat(100_000))).toBe('A'.repeat(100_000));
    expect(() => mask('\\u0041'.repeat(200_000))).toThrow('more than 1 MB');
  });
});
