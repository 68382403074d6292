import { expect, test } from 'vitest';
import { type MultipartField, multipart } from '../../../lib/egress/multipart.ts';

const parsed = async (fields: readonly MultipartField[]) => {
  const { headers, body } = await multipart(fields);
  return await new Response(body, { headers }).formData();
};

test('a form has its fields and files in order, names repeated', async () => {
  const bytes = Buffer.from([0, 13, 10, 45, 45, 255]);
  const image = (filename: string) => ({ bytes, filename, type: 'image/jpeg' });
  const form = await parsed([
    ['prompt', 'a “room”'],
    ['image[]', image('a.jpg')],
    ['image[]', image('b.jpg')],
  ]);
  expect([...form.keys()]).toEqual(['prompt', 'image[]', 'image[]']);
  expect(form.get('prompt')).toBe('a “room”');
  const files = form.getAll('image[]').filter((value) => value instanceof File);
  expect(files.map(({ name, type }) => [name, type])).toEqual([
    ['a.jpg', 'image/jpeg'],
    ['b.jpg', 'image/jpeg'],
  ]);
  for (const file of files) expect(Buffer.from(await file.arrayBuffer())).toEqual(bytes);
});

test('quotes and line breaks in names cannot end a header or begin a part', async () => {
  const hostile = 'a"; x="y\r\n\r\n--b';
  const { body } = await multipart([[hostile, { bytes: Buffer.from('x'), filename: hostile, type: '' }]]);
  const escaped = 'a%22; x=%22y%0D%0A%0D%0A--b';
  expect(body.toString()).toContain(`form-data; name="${escaped}"; filename="${escaped}"\r\n`);
});

test('every form has another boundary, and a body of the length of its parts', async () => {
  const bytes = Buffer.alloc(1_000_000);
  const fields = [['image', { bytes, filename: 'a.jpg', type: 'image/jpeg' }]] as const;
  const [one, two] = [await multipart(fields), await multipart(fields)];
  expect(one.headers['content-type']).toMatch(/^multipart\/form-data; boundary=\S+$/);
  expect(one.headers).not.toEqual(two.headers);
  expect(one.body.length).toBeLessThan(bytes.length + 500);
});
