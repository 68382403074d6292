import { execFileSync } from 'node:child_process';
import { link, mkdir, readFile, rename, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { folderOfFile } from '../../setup/temporary-folder.ts';
import { edit, fakeService, filesOf, jpegOf } from './fake-service.ts';

/** Folders that somebody else has prepared: an archive that was unpacked, a share that others can write to. */
const root = folderOfFile();
let folder: string;
let photos: string;
let out: string;
/** The user's own files, which nothing may read or change. */
let home: string;

beforeEach(async ({ task }) => {
  folder = join(root, task.id);
  [photos, out, home] = [join(folder, 'photos'), join(folder, 'out'), join(folder, 'home')];
  for (const path of [photos, out, home]) await mkdir(path, { recursive: true });
  await writeFile(join(photos, 'a.jpg'), jpegOf('a').stream());
  await writeFile(join(home, '.bashrc'), '# mine\n');
});

const makePipe = (path: string) => execFileSync('mkfifo', [path]);

describe('a planted record of results is refused before anything is sent, and never written', () => {
  const bashrc = () => join(home, '.bashrc');
  test.each<[string, (record: string) => unknown, RegExp]>([
    ['a link to a file', (record) => symlink(bashrc(), record), /jsonl is a link/],
    ['a link to no file yet', (record) => symlink(join(home, '.zshrc'), record), /jsonl is a link/],
    ['a second name of a file', (record) => link(bashrc(), record), /jsonl is no plain file/],
    ['a named pipe', makePipe, /jsonl is no plain file/],
    [
      'a link to a named pipe',
      (record) => {
        makePipe(join(folder, 'pipe'));
        return symlink(join(folder, 'pipe'), record);
      },
      /link/,
    ],
  ])('as %s', async (_what, plant, message) => {
    await plant(join(out, '.image-job.jsonl'));
    const service = fakeService();
    await expect(edit(service, photos, '-o', out)).rejects.toThrow(message);
    expect([service.state.posts, await filesOf(home)]).toEqual([0, { '.bashrc': '# mine\n' }]);
  });

  test('not even when it takes the place of the record during the run', async () => {
    const record = join(out, '.image-job.jsonl');
    const service = fakeService({
      async answer({ pathname }) {
        if (!pathname.startsWith('/results/')) return undefined;
        await rename(record, join(out, 'old.jsonl'));
        await symlink(bashrc(), record);
        return undefined;
      },
    });
    expect((await edit(service, photos, '-o', out)).isDone).toBe(true);
    expect(await readFile(bashrc(), 'utf8')).toBe('# mine\n');
    expect(await readFile(join(out, 'old.jsonl'), 'utf8')).toContain('a.jpg');
  });
});

test('a record larger than any is not read', async () => {
  const record = join(out, '.image-job.jsonl');
  await writeFile(record, '');
  await truncate(record, 8 * 1024 ** 4);
  expect((await edit(fakeService(), photos, '-o', out)).outcomes).toMatchObject([{ status: 'completed' }]);
});

describe('a link in a folder', () => {
  test('that leaves it is skipped, and named', async () => {
    await writeFile(join(home, 'private.jpg'), jpegOf('private').stream());
    await symlink(join(home, 'private.jpg'), join(photos, 'b.jpg'));
    const service = fakeService();
    const { outcomes, stderr } = await edit(service, photos, '-o', out);
    expect([outcomes.length, service.state.posts]).toEqual([1, 1]);
    expect(stderr).toBe(
      `${photos}/b.jpg: not edited, because it is a link that leaves the folder; name it to edit it.\n`,
    );
  });

  test('that stays in it is edited', async () => {
    await writeFile(join(photos, 'original'), jpegOf('b').stream());
    await symlink('original', join(photos, 'b.jpg'));
    const { outcomes } = await edit(fakeService(), photos, '-o', out);
    expect(outcomes.map(({ status }) => status)).toEqual(['completed', 'completed']);
  });

  test('that comes after the look is not followed', async () => {
    await writeFile(join(home, 'private.jpg'), jpegOf('private').stream());
    await mkdir(join(photos, 'floor 2'));
    for (const name of ['b.jpg', 'c.jpg'])
      await writeFile(join(photos, 'floor 2', name), jpegOf(name).stream());
    await writeFile(join(home, 'c.jpg'), jpegOf('private').stream());
    const bodies: string[] = [];
    const service = fakeService({
      async answer({ pathname }, { body }) {
        if (pathname.endsWith('/v1/tools/declutter')) {
          await rename(join(photos, 'floor 2'), join(folder, 'away'));
          await symlink(home, join(photos, 'floor 2'));
        }
        if (body instanceof FormData) bodies.push(await new Response(body).text());
        return undefined;
      },
    });
    const { outcomes } = await edit(service, photos, '-o', out);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['completed', 'failed', 'failed']);
    expect(bodies.join()).not.toContain('private');
  });

  test('of the results is not followed out of their folder', async () => {
    await mkdir(join(photos, 'floor 2', 'new'), { recursive: true });
    await writeFile(join(photos, 'floor 2', 'b.jpg'), jpegOf('b').stream());
    await writeFile(join(photos, 'floor 2', 'new', 'c.jpg'), jpegOf('c').stream());
    await writeFile(join(home, 'b.jpg'), 'mine');
    await symlink(home, join(out, 'floor 2'));
    const service = fakeService();
    const { outcomes } = await edit(service, photos, '-o', out);
    const failed = outcomes.filter(({ status }) => status === 'failed');
    expect(failed.map(({ error }) => error)).toEqual(
      Array(2).fill(expect.stringContaining('is outside of the folders that may be used')),
    );
    expect([service.state.posts, await filesOf(home)]).toEqual([
      1,
      { '.bashrc': '# mine\n', 'b.jpg': 'mine' },
    ]);
  });

  test('of the results is not followed when it comes after the charge', async () => {
    await mkdir(join(photos, 'floor 2'), { recursive: true });
    await writeFile(join(photos, 'floor 2', 'b.jpg'), jpegOf('b').stream());
    await writeFile(join(home, 'b.jpg'), 'mine');
    const service = fakeService({
      async answer({ pathname }) {
        if (!pathname.startsWith('/results/')) return undefined;
        await rename(join(out, 'floor 2'), join(folder, 'away'));
        await symlink(home, join(out, 'floor 2'));
        return undefined;
      },
    });
    const { outcomes } = await edit(service, join(photos, 'floor 2'), '-o', join(out, 'floor 2'));
    expect(outcomes).toMatchObject([{ status: 'failed', job_id: 'job-1', images_charged: 1 }]);
    expect(await readFile(join(home, 'b.jpg'), 'utf8')).toBe('mine');
  });
});

describe('what is no image by its bytes is not sent', () => {
  const KEY = '-----BEGIN OPENSSH PRIVATE KEY-----\n';
  test.each([
    ['in a folder', () => photos],
    ['named, as a link', () => join(photos, 'key.jpg')],
  ])('%s', async (where, input) => {
    await writeFile(join(home, 'id_ed25519'), KEY);
    if (where === 'in a folder') await writeFile(join(photos, 'key.jpg'), KEY);
    else await symlink(join(home, 'id_ed25519'), join(photos, 'key.jpg'));
    const sent: string[] = [];
    const service = fakeService({
      async answer(url, { body }) {
        sent.push(url.href);
        if (body instanceof FormData) sent.push(await new Response(body).text());
        return undefined;
      },
    });
    const { outcomes } = await edit(service, input(), '-o', join(out, 'new/'));
    expect(outcomes).toContainEqual(
      expect.objectContaining({ status: 'failed', error: 'key.jpg is no JPEG, PNG or WebP.' }),
    );
    expect(sent.join()).not.toContain('PRIVATE KEY');
    const dry = await edit(service, input(), '-o', join(out, 'new/'), '--dry-run');
    expect(dry.outcomes).toContainEqual(expect.objectContaining({ status: 'failed' }));
    expect(sent.join()).not.toContain('PRIVATE KEY');
  });

  test('nor is a file read that is larger than a photo may be', async () => {
    await truncate(join(photos, 'a.jpg'), 8 * 1024 ** 4);
    const service = fakeService();
    expect((await edit(service, photos, '-o', out)).outcomes).toMatchObject([
      { status: 'failed', error: 'a.jpg is larger than 20 MB.' },
    ]);
  });

  test('nor does a named pipe stop the others that takes the place of a photo', async () => {
    await writeFile(join(photos, 'b.jpg'), jpegOf('b').stream());
    const service = fakeService({
      async answer({ pathname }) {
        if (!pathname.endsWith('/v1/tools/declutter')) return undefined;
        await rename(join(photos, 'b.jpg'), join(folder, 'b.jpg'));
        makePipe(join(photos, 'b.jpg'));
        return undefined;
      },
    });
    const { outcomes } = await edit(service, photos, '-o', out);
    expect(outcomes).toContainEqual(expect.objectContaining({ error: 'b.jpg is no file.' }));
    expect(outcomes).toContainEqual(expect.objectContaining({ status: 'completed' }));
  });
});
