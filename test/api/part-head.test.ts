import { describe, expect, test } from 'vitest';
import { createPartHead, type PartHead } from '../../api/intake/part-head.ts';

function read(...lines: string[]): PartHead {
  const head = createPartHead();
  for (const line of lines) head.add(`${line}\r\n`);
  return head.finish();
}

const JOB = 'Content-Disposition: form-data; name="job"';
const IMAGE = 'Content-Disposition: form-data; name="image"';

describe('the name of a part', () => {
  test.each([
    JOB,
    'content-disposition:form-data;name=job',
    'CONTENT-DISPOSITION:\tForm-Data ;\tNAME="job" ',
    'Content-Disposition: form-data; filename="a; name=\\"image\\""; name=job',
    "Content-Disposition: form-data; name=job; filename=a; filename*=utf-8''%C3%A4.json",
    'Content-Disposition: form-data; filename="é\u0001\\\\"; name="job"',
  ])('is job in %s', (line) => {
    expect(read(line)).toEqual({ name: 'job', type: 'text/plain' });
  });

  test.each([
    'attachment; name="image"',
    'attachment',
    'formdata; name="webhook_url"',
    'form-data',
    'form-data; filename="a"',
    'form-data; name',
    'form-data; name="image',
    'form-data; name="image"x',
    'form-data; name="image" filename="a"',
    'form-data; name = "image"',
    'form-data; name="image";',
    'form-data, name="image"',
    'form-data; name="image"; name="job"',
    'form-data; name="image"; NAME="image"',
    'form-data; name="image"; filename="a"; filename="b"',
    'form-data; name="image"; filename="a"b"',
    'form-data; name="image"; filename="a\\"',
    'form-data; name="image"; name*=utf-8\'\'job',
    'form-data; name="image"; webhook_url="https://a.example"',
  ])('is refused in %s', (disposition) => {
    expect(() => read(`Content-Disposition: ${disposition}`)).toThrow('is not form-data with one name');
  });

  test('is not read from another header', () => {
    expect(() => read('X-Content-Disposition: form-data; name="job"')).toThrow('no Content-Disposition');
    expect(() => read()).toThrow('no Content-Disposition');
  });
});

describe('a header of a part is refused', () => {
  test.each([
    'Content-Disposition : form-data; name="image"',
    ' Content-Disposition: form-data; name="image"',
    'Content-Disposition',
    ': form-data',
    '',
    '\0',
    '\ufeffX: y',
    'X Y: z',
  ])('that is no name and value: %j', (line) => {
    expect(() => read(line, JOB)).toThrow('Name: value');
  });

  test('that is folded', () => {
    expect(() => read('Content-Disposition: form-data;', ' name="job"')).toThrow('Name: value');
  });

  test.each(['X: a\rb', 'X: a\nb', 'X: a\r', '\rX: a', `${IMAGE}; filename="a\nb"`])(
    'with another line end than CRLF: %j',
    (line) => {
      expect(() => read(line, JOB)).toThrow('has a line break or a CR inside');
    },
  );

  test('that ends with LF', () => {
    expect(() => createPartHead().add(`${JOB}\n`)).toThrow('End each header with CRLF');
  });

  test('with a NUL', () => {
    for (const lines of [[`${IMAGE}; filename="a\0"`], ['X: \0', IMAGE]])
      expect(() => read(...lines)).toThrow('The part image has a NUL in its headers');
  });

  test.each([
    [JOB, IMAGE],
    [JOB, JOB.toLowerCase()],
    [JOB, 'Content-Type: application/json', 'Content-Type: application/json'],
    [JOB, 'Content-Transfer-Encoding: binary', 'content-transfer-encoding: base64'],
  ])('that comes twice: %s, %s', (...lines) => {
    expect(() => read(...lines)).toThrow('A part has two headers');
  });

  test.each(['base64', 'quoted-printable', '7bit, base64', ''])('with the encoding "%s"', (encoding) => {
    const unknown = Array.from({ length: 20 }, (_, n) => `X-${n}: y`);
    const line = `Content-Transfer-Encoding: ${encoding}`;
    expect(() => read(JOB, ...unknown, line)).toThrow('The part job has a Content-Transfer-Encoding');
  });
});

describe('the Content-Type of a part', () => {
  test.each([
    ['application/json', 'application/json'],
    ['Application/JSON;charset=UTF-8', 'application/json'],
    ['application/json; charset="utf-8"', 'application/json'],
    ['text/plain; format=flowed', 'text/plain'],
  ])('of the job may be %s', (value, type) => {
    expect(read(JOB, `Content-Type: ${value}`)).toEqual({ name: 'job', type });
  });

  test.each(['charset=utf-16', 'charset=utf-8; charset=utf-16', 'charset="utf-8', 'charset', 'charset = x'])(
    'of the job may not have %s',
    (charset) => {
      expect(() => read(JOB, `Content-Type: application/json; ${charset}`)).toThrow('Send JSON in UTF-8');
    },
  );

  test('of the image may have any charset', () => {
    expect(read(IMAGE, 'Content-Type: image/png; charset=binary').type).toBe('image/png');
  });
});
