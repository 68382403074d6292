import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFormScanner } from '../../api/intake/form-scanner.ts';
import type { PartHead } from '../../api/intake/part-head.ts';
import { ApiError } from '../../lib/contract/errors.ts';

interface Part extends PartHead {
  content: string;
}

/** Reads a form with the boundary `a`. */
function read(form: string, size = form.length): Part[] {
  const parts: Part[] = [];
  const bytes = Buffer.from(form);
  const scanner = createFormScanner('a', (head) => {
    const part = { ...head, content: '' };
    parts.push(part);
    return (content) => {
      part.content += content.toString('latin1');
    };
  });
  for (let at = 0; at < bytes.length; at += size) scanner.write(bytes.subarray(at, at + size));
  scanner.end();
  return parts;
}

function refusal(form: string, size?: number): string {
  try {
    read(form, size);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_request') return error.message;
    throw error;
  }
  throw new Error('The form was accepted.');
}

const JOB = '--a\r\nContent-Disposition: form-data; name="job"\r\n\r\n{}\r\n';
const IMAGE_HEAD = 'Content-Disposition: form-data; name="image"; filename="a.jpg"\r\n';
const IMAGE = `--a\r\n${IMAGE_HEAD}\r\nbytes\r\n`;
const END = '--a--';
const PARTS: Part[] = [
  { name: 'job', type: 'text/plain', content: '{}' },
  { name: 'image', type: 'text/plain', content: 'bytes' },
];

describe('the delimiters of a form', () => {
  test.each([
    ['without anything around', `${JOB}${IMAGE}${END}`],
    ['with a CRLF before and after', `\r\n${JOB}${IMAGE}${END}\r\n`],
    ['with spaces and tabs after them', `${JOB}${IMAGE.replace('--a\r', '--a \t\r')}${END} \t\r\n`],
    ['with spaces after the last, and no CRLF', `${JOB}${IMAGE}${END}  `],
    ['with text around', `before\r\n--\r\n${JOB}${IMAGE}${END}\r\nafter\r\n--b`],
  ])('may be %s, in chunks of any size', (_how, form) => {
    for (let size = 1; size <= form.length; size += 1) expect(read(form, size)).toEqual(PARTS);
  });

  test.each([
    ['another boundary that starts like it', `${JOB}--abcd\r\n${IMAGE_HEAD}\r\nbytes\r\n${END}`],
    ['its closing hyphens on two lines', `${JOB}--a-\r\n--a-`],
    ['three hyphens at its end', `${JOB}${IMAGE}${END}-\r\n`],
    ['text after the last', `${JOB}${END}x\r\n`],
    ['a line that ends with LF', `${JOB}${IMAGE.replace('--a\r\n', '--a\n')}${END}`],
    ['a line that ends with CR', `${JOB}${IMAGE.replace('--a\r\n', '--a\r')}${END}`],
    ['8 KB after it', `${JOB}--a${'x'.repeat(9000)}`],
  ])('are refused with %s', (_how, form) => {
    for (const size of [1, 7, form.length])
      expect(refusal(form, size)).toMatch(/^Other characters than CRLF follow the boundary/);
  });

  test('are refused after the last', () => {
    for (const form of [`${JOB}${END}\r\n${IMAGE}${END}`, `${JOB}${END}\r\n\r\n${IMAGE}`])
      for (const size of [1, form.length])
        expect(refusal(form, size)).toContain('goes on after its closing boundary');
  });

  test.each(['', '\r\n', JOB, `${JOB}--a`, `${JOB}--a-`, `${JOB}--a--\r`, JOB.slice(0, 20)])(
    'are refused without the last: %j',
    (form) => {
      expect(refusal(form, 3)).toContain('before its closing boundary');
    },
  );

  test('may have their first characters in contents, wherever a chunk ends', () => {
    const tokens = fc.constantFrom('\r', '\n', '-', '\r\n', '\r\n-', '\r\n--', '\r\n--b', 'a', 'x');
    const contents = fc.array(tokens, { maxLength: 30 }).map((some) => some.join(''));
    const check = (content: string, size: number) => {
      const form = `${JOB}${IMAGE.replace('bytes', () => content)}${END}`;
      expect(read(form, size)[1]?.content).toBe(content);
    };
    const isFree = (content: string) => !content.includes('\r\n--a');
    fc.assert(fc.property(contents.filter(isFree), fc.integer({ min: 1, max: 9 }), check), { numRuns: 1000 });
  });
});

describe('a form is read up to its first problem', () => {
  test('and no part is opened that comes after it', () => {
    let opened = 0;
    const scanner = createFormScanner('a', () => {
      opened += 1;
      return () => {};
    });
    const write = () => scanner.write(Buffer.from(`${JOB}--a\r\nX\r\n\r\n\r\n${IMAGE.repeat(3000)}`));
    expect(write).toThrow('Name: value');
    expect(opened).toBe(1);
  });

  test('which 64 KB of delimiters have in their second', () => {
    expect(refusal('\r\n--a'.repeat(13_000))).toContain('Name: value');
    expect(refusal('\r\n\r\n--a'.repeat(9000))).toContain('no Content-Disposition');
  });

  test('which is the third part before its headers', () => {
    expect(refusal(`${JOB}${IMAGE}--a\r\n`)).toContain('more than two parts');
  });

  test('which is 8 KB of headers of a part', () => {
    for (const header of [`X: ${'x'.repeat(8300)}\r\n`, `X: ${'x'.repeat(4100)}\r\n`.repeat(2)])
      for (const size of [1, 1000, 20_000])
        expect(refusal(`${JOB}--a\r\n${header}${IMAGE_HEAD}\r\nbytes\r\n${END}`, size)).toContain('8 KB');
  });

  test('which is its 16 KB besides contents, in any chunks', () => {
    const header = `X: ${'x'.repeat(6000)}\r\n`;
    const long = (part: string) => part.replace('\r\n', `\r\n${header}`);
    const form = `${'p'.repeat(5000)}\r\n${long(JOB)}${long(IMAGE)}`;
    for (const size of [1, 1000, form.length]) expect(refusal(form, size)).toContain('more than 16 KB');
    expect(read(`${long(JOB)}${long(IMAGE)}${END}`)).toEqual(PARTS);
  });
});
