import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { UsageError } from '../../../packages/client/src/cli/usage.ts';
import { folderOfFile } from '../../setup/temporary-folder.ts';
import { edit, fakeService, jpegOf } from './fake-service.ts';

const root = folderOfFile();
let folder: string;
let photos: string;

beforeEach(async ({ task }) => {
  folder = join(root, task.id);
  photos = join(folder, 'photos');
  await mkdir(photos, { recursive: true });
  for (const name of ['a.jpg', 'b.jpg']) await writeFile(join(photos, name), jpegOf(name).stream());
});

const inputs = ({ outcomes }: Awaited<ReturnType<typeof edit>>) =>
  outcomes.map(({ input }) => input.slice(photos.length + 1)).sort();

describe('a photo is never overwritten by a result', () => {
  test.each([
    ['a folder', '.', 'link'],
    ['a photo', 'a.jpg', 'link/a.jpg'],
    ['a photo, in a folder', 'a.jpg', 'link'],
  ])('through a link to the folder of %s', async (_, input, output) => {
    await symlink(photos, join(folder, 'link'));
    const service = fakeService();
    await expect(edit(service, join(photos, input), '-o', join(folder, output))).rejects.toThrow(
      'is itself a photo to edit',
    );
    expect([await readFile(join(photos, 'a.jpg'), 'utf8'), service.state.posts]).toEqual([
      expect.stringContaining('a.jpg'),
      0,
    ]);
  });
});

describe('results are not photos', () => {
  test('when the folder of the results is named through a link', async () => {
    await symlink(photos, join(folder, 'link'));
    const service = fakeService();
    for (let run = 1; run <= 3; run += 1)
      expect(inputs(await edit(service, photos, '-o', join(folder, 'link', 'out')))).toEqual([
        'a.jpg',
        'b.jpg',
      ]);
    expect(service.state.posts).toBe(2);
  });

  test('when another command has written them, which is said', async () => {
    const service = fakeService();
    await edit(service, photos, '-o', join(photos, 'first'));
    const second = await edit(service, photos, '-o', join(photos, 'second'), '--record', '2');
    expect(inputs(second)).toEqual(['a.jpg', 'b.jpg']);
    expect(second.stderr).toBe(
      `${photos}/first: not edited, because it has results of an earlier run; name it to edit them.\n`,
    );
  });

  test('unless their folder is named', async () => {
    const service = fakeService();
    await edit(service, photos, '-o', join(folder, 'first'));
    const second = await edit(service, join(folder, 'first'), '-o', join(folder, 'second'));
    expect([second.outcomes.length, second.stderr]).toEqual([2, '']);
  });
});

test('links to photos of the folder are edited, and other links are named', async () => {
  await mkdir(join(folder, 'far'));
  await writeFile(join(photos, 'original'), jpegOf('c').stream());
  await symlink(join(photos, 'original'), join(photos, 'c.jpg'));
  await symlink(join(folder, 'far'), join(photos, 'far'));
  await symlink(join(folder, 'nowhere'), join(photos, 'd.jpg'));
  const run = await edit(fakeService(), photos, '-o', join(folder, 'out'));
  expect(inputs(run)).toEqual(['a.jpg', 'b.jpg', 'c.jpg']);
  expect(run.stderr).toContain(`${photos}/far: not edited, because it is a link to a folder`);
  expect(run.stderr).toContain(`${photos}/d.jpg: not edited, because it is a link to nothing`);
});

describe('a command that cannot end well is refused before anything is sent', () => {
  test('when -o names a file for several photos', async () => {
    await writeFile(join(folder, 'file'), '');
    const run = edit(fakeService(), photos, '-o', join(folder, 'file'));
    await expect(run).rejects.toThrow('-o names a folder');
    await expect(run).rejects.toBeInstanceOf(UsageError);
  });

  test('when the record of results is a folder', async () => {
    await mkdir(join(folder, 'out', '.image-job.jsonl'), { recursive: true });
    const service = fakeService();
    const run = edit(service, photos, '-o', join(folder, 'out'));
    await expect(run).rejects.toThrow('cannot have results: EISDIR');
    await expect(run).rejects.toBeInstanceOf(UsageError);
    expect(service.state.posts).toBe(0);
  });

  test('when the result would have another format than its name says', async () => {
    const run = edit(fakeService(), join(photos, 'a.jpg'), '-o', join(folder, 'a.png'));
    await expect(run).rejects.toThrow('a.png must not end with .png');
    await expect(run).rejects.toBeInstanceOf(UsageError);
  });
});

test('a folder that is named with a slash is made for one photo', async () => {
  const { outcomes } = await edit(fakeService(), join(photos, 'a.jpg'), '-o', `${join(folder, 'new')}/`);
  expect(outcomes).toMatchObject([{ status: 'completed', output: join(folder, 'new', 'a.jpg') }]);
});
