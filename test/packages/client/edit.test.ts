import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { folderOfFile } from '../../setup/temporary-folder.ts';
import { failure, json } from './fake-fetch.ts';
import { edit, fakeService, filesOf, jobOf, jpegOf } from './fake-service.ts';

const root = folderOfFile();
let folder: string;
let photos: string;
let out: string;

beforeEach(async ({ task }) => {
  folder = join(root, task.id);
  photos = join(folder, 'photos');
  out = join(folder, 'out');
  await mkdir(photos, { recursive: true });
});

const addPhoto = (name: string, text = name) => writeFile(join(photos, name), jpegOf(text).stream());

describe('when the balance is used up', () => {
  test('results that were paid for are still fetched', async () => {
    const service = fakeService({ balance: 2 });
    for (const name of ['y.jpg', 'z.jpg']) await addPhoto(name);
    await edit(service, photos, '-o', out);
    await rm(out, { recursive: true });
    for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) await addPhoto(name);
    const { outcomes, stderr, isDone } = await edit(service, photos, '-o', out, '--concurrency', '1');
    expect(outcomes.map(({ status }) => status)).toEqual(['failed', 'completed', 'completed']);
    expect([stderr, isDone]).toEqual(['Not sent, because none could succeed: 2\n', false]);
    expect(service.state.posts).toBe(3);
  });

  test('nothing is said of others where there are none', async () => {
    await addPhoto('a.jpg');
    expect((await edit(fakeService({ balance: 0 }), photos, '-o', out)).stderr).toBe('');
  });
});

test('a key that is revoked stops all requests', async () => {
  for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) await addPhoto(name);
  const service = fakeService({
    answer: async ({ pathname }) => (pathname.endsWith('/v1/jobs') ? failure('key_revoked', 401) : undefined),
  });
  const { outcomes, stderr } = await edit(service, photos, '-o', out, '--concurrency', '1');
  expect(outcomes).toMatchObject([{ status: 'failed', error: 'It is key_revoked.' }]);
  expect(stderr).toContain('none could succeed: 2');
});

describe('nothing is charged for a result that cannot be written', () => {
  test.each(['file/x.jpg', 'x.jpg/..jpg'])('to %s', async (output) => {
    await addPhoto('a.jpg');
    await writeFile(join(folder, 'file'), '');
    await writeFile(join(folder, 'x.jpg'), '');
    const service = fakeService();
    const { outcomes } = await edit(service, join(photos, 'a.jpg'), '-o', join(folder, output));
    expect(outcomes).toMatchObject([{ status: 'failed', images_charged: 0 }]);
    expect(service.state.posts).toBe(0);
  });

  test('where a folder has its name', async () => {
    await addPhoto('a.jpg');
    await mkdir(join(out, 'a.jpg'), { recursive: true });
    const service = fakeService();
    const { outcomes } = await edit(service, photos, '-o', out);
    expect(outcomes).toMatchObject([{ error: `${out}/a.jpg exists and is not a file.` }]);
    expect(service.state.posts).toBe(0);
  });

  test('once the result of another was not written', async () => {
    for (const name of ['a.jpg', 'b.jpg']) await addPhoto(name);
    const service = fakeService({
      async answer({ pathname }) {
        if (pathname.startsWith('/results/')) await mkdir(join(out, 'a.jpg'), { recursive: true });
        return undefined;
      },
    });
    const { outcomes } = await edit(service, photos, '-o', out, '--concurrency', '1');
    expect(outcomes).toMatchObject([{ status: 'failed', job_id: 'job-1', images_charged: 1 }]);
    expect(service.state.posts).toBe(1);
    expect(Object.keys(await filesOf(out))).toEqual(['.image-job.jsonl']);
  });
});

test('runs of the same photos at once each write them as a whole', async () => {
  for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) await addPhoto(name);
  const service = fakeService();
  const runs = await Promise.all([1, 2, 3].map(() => edit(service, photos, '-o', out)));
  const wrong = runs.flatMap(({ outcomes }) => outcomes).filter(({ status }) => status === 'failed');
  expect([wrong, service.state.balance]).toEqual([[], 47]);
  expect(Object.keys(await filesOf(out)).sort()).toEqual(['.image-job.jsonl', 'a.jpg', 'b.jpg', 'c.jpg']);
});

describe('the charge of a photo', () => {
  test('is told when its download fails', async () => {
    await addPhoto('a.jpg');
    const service = fakeService({
      answer: async ({ pathname }) =>
        pathname.startsWith('/results/') ? new Response(null, { status: 404 }) : undefined,
    });
    const { outcomes } = await edit(service, photos, '-o', out);
    expect(outcomes).toMatchObject([{ status: 'failed', job_id: 'job-1', images_charged: 1 }]);
  });

  test('is counted once for equal photos', async () => {
    for (const name of ['a.jpg', 'b.jpg']) await addPhoto(name, 'equal');
    const service = fakeService();
    const { outcomes } = await edit(service, photos, '-o', out);
    expect(outcomes.map(({ images_charged }) => images_charged).sort()).toEqual([0, 1]);
    expect(service.state.balance).toBe(49);
  });
});

test('a photo that changes during the run is sent as it was read', async () => {
  await addPhoto('a.jpg', 'before');
  const bodies: string[] = [];
  const service = fakeService({
    async answer({ pathname }, { method, body }) {
      if (method !== 'POST') {
        if (pathname.endsWith('/v1/jobs')) await addPhoto('a.jpg', 'after');
      } else if (body instanceof FormData) bodies.push(await new Response(body).text());
      return undefined;
    },
  });
  await edit(service, photos, '-o', out);
  expect(bodies).toEqual([expect.stringContaining('before')]);
  await addPhoto('a.jpg', 'after');
  expect((await edit(fakeService(), photos, '-o', out)).outcomes).toMatchObject([{ status: 'completed' }]);
});

test('the job of another photo is not taken, where the query of the list is lost', async () => {
  await addPhoto('a.jpg');
  const service = fakeService({
    answer: async ({ pathname }, { method }) =>
      pathname.endsWith('/v1/jobs') && method !== 'POST'
        ? json({ data: [jobOf('other', 'another-key')], has_more: false })
        : undefined,
  });
  const { outcomes } = await edit(service, photos, '-o', out);
  expect(outcomes).toMatchObject([
    { status: 'failed', error: expect.stringContaining('the job of another photo') },
  ]);
});

test('an empty file is no result', async () => {
  await addPhoto('a.jpg');
  const service = fakeService();
  await edit(service, photos, '-o', out);
  await writeFile(join(out, 'a.jpg'), '');
  expect((await edit(service, photos, '-o', out)).outcomes).toMatchObject([{ status: 'completed' }]);
});

test('a photo whose job was deleted can be edited anew with --record', async () => {
  await addPhoto('a.jpg');
  const service = fakeService({
    answer: async (_, { method }) => (method === 'POST' ? failure('job_not_found', 404) : undefined),
  });
  const { outcomes } = await edit(service, photos, '-o', out);
  expect(outcomes).toMatchObject([{ status: 'failed', error: expect.stringContaining('--record ID') }]);
});
