import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createJobBodyReader, type JobBody } from '../../api/intake/job-body.ts';
import { createJobFormReader } from '../../api/intake/job-form.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import { BOUNDARY, type FormPart, formBody, imagePart, jobPart } from '../setup/forms.ts';

const IMAGE = Buffer.from('pretend\r\n--this is\r\n an image\r');
const FIELDS = { tool: 'declutter', options: { a: [1, null], b: 'é' } };
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const jpeg = (bytes: Buffer) => ({ bytes, sha256: sha256(bytes), declared: 'image/jpeg', isFile: true });

async function readBytes(bytes: Buffer, sizes: readonly number[] = [bytes.length], boundary = BOUNDARY) {
  const reader = createJobFormReader(boundary, bytes.length);
  for (let at = 0, n = 0; at < bytes.length; n += 1) {
    const size = sizes[n % sizes.length] ?? 1;
    reader.write(bytes.subarray(at, at + size));
    at += size;
  }
  return await reader.end();
}

const read = (parts: readonly FormPart[]): Promise<JobBody> => readBytes(formBody(parts));

async function refusal(form: Buffer | readonly FormPart[], boundary = BOUNDARY): Promise<string> {
  const bytes = Buffer.isBuffer(form) ? form : formBody(form);
  const reading = readBytes(bytes, [1000], boundary);
  const error: unknown = await reading.then(
    () => 'accepted',
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw error;
  expect(error.code).toBe('invalid_request');
  return error.message;
}

const IMAGE_PART = imagePart(IMAGE, 'image/jpeg');
const JOB_PART = jobPart(FIELDS);

describe('a form', () => {
  test('has the fields of its JSON and the bytes of its file, with parts in any order', async () => {
    for (const parts of [
      [JOB_PART, IMAGE_PART],
      [IMAGE_PART, JOB_PART],
    ])
      expect(await read(parts)).toEqual({ fields: FIELDS, image: jpeg(IMAGE) });
  });

  test('may have no file, and its JSON an image', async () => {
    const image_base64 = IMAGE.toString('base64');
    expect(await read([jobPart({ ...FIELDS, image_base64 })])).toEqual({
      fields: FIELDS,
      image: { bytes: IMAGE, sha256: sha256(IMAGE) },
    });
  });

  test.each<[string, FormPart[]]>([
    ['unknown headers', [{ ...JOB_PART, headers: ['X-Unknown: 1', 'Content-Type: application/json'] }]],
    ['JSON as a file', [{ ...JOB_PART, type: 'application/octet-stream', filename: 'job.json' }]],
    ['a charset', [{ ...JOB_PART, type: 'application/json; charset=utf-8' }]],
    ['binary as transfer encoding', [{ ...JOB_PART, headers: ['Content-Transfer-Encoding: BINARY'] }]],
  ])('may have %s', async (_what, parts) => {
    expect(await read([...parts, IMAGE_PART])).toEqual({ fields: FIELDS, image: jpeg(IMAGE) });
  });

  test('may have text before and after its parts', async () => {
    const bytes = Buffer.concat([
      Buffer.from('before\r\n'),
      formBody([JOB_PART, IMAGE_PART]),
      Buffer.alloc(9000),
    ]);
    expect(await readBytes(bytes, [700])).toEqual({ fields: FIELDS, image: jpeg(IMAGE) });
  });

  test.each([
    '',
    'room',
    '../../etc/passwd',
    'C:\\room.jpg',
    'r\\"oom',
    'räum.jpg',
    '\u0001\u007f',
    '%0d%0a',
    'x'.repeat(4000),
  ])('may have any file name: %j', async (filename) => {
    const parts = [JOB_PART, { ...IMAGE_PART, filename }];
    expect(await read(parts)).toEqual({ fields: FIELDS, image: jpeg(IMAGE) });
  });

  test.each(['b', "a'()+_,-./:=?Z", '-'.repeat(70), 'a b'])('may have the boundary %s', async (boundary) => {
    const bytes = formBody([JOB_PART, IMAGE_PART], boundary);
    expect(await readBytes(bytes, [13], boundary)).toEqual({ fields: FIELDS, image: jpeg(IMAGE) });
  });
});

describe('the Content-Type of the image', () => {
  test.each<[string | undefined, string]>([
    [undefined, 'image/jpeg'],
    ['application/octet-stream', 'image/jpeg'],
    ['image/jpeg', 'image/jpeg'],
    ['image/jpg', 'image/jpeg'],
    ['Image/PNG', 'image/png'],
    ['image/png; charset=binary', 'image/png'],
    ['image/webp', 'image/webp'],
  ])('%s declares %s', async (type, declared) => {
    expect((await read([JOB_PART, imagePart(IMAGE, type)])).image).toMatchObject({ declared, bytes: IMAGE });
  });

  test.each([
    'image/gif',
    'image/svg+xml',
    'text/html',
    'multipart/mixed; boundary=x',
    'constructor',
    'image/*',
  ])('%s is malformed', async (type) => {
    const malformed = expect.stringContaining('Content-Type must be');
    expect((await read([JOB_PART, imagePart(IMAGE, type)])).image).toEqual({ malformed, field: 'image' });
  });
});

describe('the file of a form', () => {
  const MB = 1024 * 1024;

  test('has at most 20 MB', async () => {
    const bytes = randomBytes(20 * MB);
    const { image } = await readBytes(formBody([imagePart(bytes), JOB_PART]), [65_536]);
    expect(image !== undefined && 'bytes' in image && image.bytes.equals(bytes)).toBe(true);
    const over = await readBytes(formBody([imagePart(Buffer.alloc(20 * MB + 1)), JOB_PART]), [65_536]);
    expect(over.image).toEqual({ malformed: 'over 20 MB.', field: 'image' });
  });

  test('is not empty', async () => {
    const malformed = 'the file is empty.';
    expect((await read([JOB_PART, imagePart('')])).image).toEqual({ malformed, field: 'image' });
  });
});

describe('invalid_request for a form', () => {
  test.each<[string, FormPart[], string]>([
    ['no part', [], 'no part named job'],
    ['no job', [IMAGE_PART], 'no part named job'],
    ['an empty job', [{ ...JOB_PART, content: '' }, IMAGE_PART], 'Part job: The body is empty'],
    ['a job that is no JSON', [{ ...JOB_PART, content: '{' }], 'Part job: The body is not valid JSON'],
    ['a job that is a list', [{ ...JOB_PART, content: '[]' }], 'Part job: The body must be a JSON object'],
    ['a job in UTF-16', [{ ...JOB_PART, content: Buffer.from('{"tool":"é"}', 'utf16le') }], 'Part job: '],
    ['a job in Latin-1', [{ ...JOB_PART, content: Buffer.from('{"tool":"é"}', 'latin1') }], 'not UTF-8'],
    ['a job nested too deep', [{ ...JOB_PART, content: '['.repeat(100) }], 'Part job: The body is nested'],
    ['two jobs', [JOB_PART, JOB_PART], 'two parts named job'],
    ['two images', [IMAGE_PART, IMAGE_PART], 'two parts named image'],
    ['a field as a part', [{ name: 'tool', content: 'pool' }, JOB_PART], 'a part named "tool"'],
    ['an empty name', [{ name: '', content: '' }], 'a part named ""'],
    ['a long name', [{ name: 'n'.repeat(5000), content: '' }], `a part named "${'n'.repeat(50)}"`],
    [
      'control characters in a name',
      [{ name: 'a\u0001\u0000', content: '' }],
      'a part named "a\\u0001\\u0000"',
    ],
    ['another case', [{ name: 'Job', content: '{}' }], 'a part named "Job"'],
    [
      'base64',
      [{ ...JOB_PART, headers: ['Content-Transfer-Encoding: base64'] }],
      'Content-Transfer-Encoding',
    ],
    ['a third part', [JOB_PART, IMAGE_PART, { name: 'x', content: '' }], 'more than two parts'],
    [
      'thousands of parts',
      Array<FormPart>(5000).fill({ name: undefined, content: '' }),
      'no Content-Disposition',
    ],
    ['headers of 1 MB', [{ ...JOB_PART, headers: [`X-A: ${'a'.repeat(1_000_000)}`] }], 'more than 16 KB'],
    ['10,000 headers', [{ ...JOB_PART, headers: Array<string>(10_000).fill('X-A: b') }], 'more than 16 KB'],
  ])('with %s', async (_what, parts, message) => {
    expect(await refusal(parts)).toContain(message);
  });

  test('that ends early, wherever it does', async () => {
    const whole = formBody([JOB_PART, IMAGE_PART]);
    for (let length = 0; length < whole.length - 4; length += 1)
      expect(await refusal(whole.subarray(0, length))).toContain('before its closing boundary');
  });

  test('that has another boundary', async () => {
    expect(await refusal(formBody([JOB_PART]), 'other')).toContain('before its closing boundary');
  });

  test('with more than 16 KB before its parts or after them', async () => {
    const form = formBody([JOB_PART]);
    for (const more of [Buffer.alloc(1_000_000), Buffer.alloc(17_000, '\r\n--')]) {
      expect(await refusal(Buffer.concat([more, Buffer.from('\r\n'), form]))).toContain('more than 16 KB');
      expect(await refusal(Buffer.concat([form, more]))).toContain('more than 16 KB');
    }
  });

  test('before the form has ended, if it is known then', () => {
    const bytes = formBody([{ name: 'tool', content: Buffer.alloc(100_000) }]);
    for (const size of [1, 100, 50_000]) {
      const reader = createJobFormReader(BOUNDARY);
      const writeHalf = () => {
        for (let at = 0; at < 50_000; at += size) reader.write(bytes.subarray(at, at + size));
      };
      expect(writeHalf).toThrow('a part named "tool"');
    }
  });
});

test('two images in one form are invalid_image', async () => {
  const parts = [jobPart({ ...FIELDS, image_base64: 'AAAA' }), IMAGE_PART];
  await expect(read(parts)).rejects.toMatchObject({ code: 'invalid_image' });
});

describe('for any chunks', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

  test('a large form is the same as in one chunk', async () => {
    const bytes = randomBytes(200_000);
    const form = formBody([JOB_PART, imagePart(bytes)]);
    const large = fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1, maxLength: 5 });
    const check = async (at: number[]) => {
      const { image } = await readBytes(form, at);
      expect(image !== undefined && 'bytes' in image && image.bytes.equals(bytes)).toBe(true);
    };
    await fc.assert(fc.asyncProperty(large, check), { numRuns: 50 });
  });

  test('a form is the same body as JSON', async () => {
    const image = fc.array(fc.constantFrom(13, 10, 45, 0, 255), { minLength: 1, maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(image, fc.boolean(), sizes, async (values, first, at) => {
        const bytes = Buffer.from(values);
        const parts = first ? [imagePart(bytes), JOB_PART] : [JOB_PART, imagePart(bytes)];
        const json = createJobBodyReader();
        json.write(Buffer.from(JSON.stringify({ ...FIELDS, image_base64: bytes.toString('base64') })));
        expect(await readBytes(formBody(parts), at)).toEqual({ ...json.end(), image: jpeg(bytes) });
      }),
      { numRuns: 500 },
    );
  });

  test('anything else ends, in a body or in an error of the contract', async () => {
    const tokens = [
      `\r\n--${BOUNDARY}`,
      `\r\n--${BOUNDARY}--`,
      `--${BOUNDARY}\r\n`,
      '\r\n',
      '\r',
      '\n',
      '-',
      ':',
      'Content-Disposition: form-data; name="job"',
      'Content-Disposition: form-data; name="image"; filename="a"',
      'Content-Disposition: form-data; name="',
      'Content-Type: image/png',
      '\r\n\r\n',
      '{}',
      'A'.repeat(300),
    ];
    const soup = fc
      .array(fc.constantFrom(...tokens), { maxLength: 14 })
      .map((parts) => Buffer.from(parts.join('')));
    await fc.assert(
      fc.asyncProperty(soup, sizes, async (bytes, at) => {
        const error: unknown = await readBytes(bytes, at).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        expect(error === undefined || error instanceof ApiError).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });
});
