import { mkdir, open, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { inFolder, openInside, placeOf } from '../../../packages/client/src/inside.ts';
import { folderOfFile } from '../../setup/temporary-folder.ts';

const root = folderOfFile();
/** May be used, and has `sub`; `outside` may not. */
let folder: string;
let outside: string;

beforeEach(async ({ task }) => {
  folder = join(root, task.id, 'folder');
  outside = join(root, task.id, 'outside');
  for (const path of [join(folder, 'sub'), outside]) await mkdir(path, { recursive: true });
});

/** `sub` is moved away, and a link out of the folder takes its place. */
async function replaceSub(): Promise<void> {
  await rename(join(folder, 'sub'), join(folder, 'moved'));
  await symlink(outside, join(folder, 'sub'));
}

test.runIf(process.platform === 'linux')(
  'a folder that is replaced while it is used is the same folder to the end',
  async () => {
    await inFolder(join(folder, 'sub'), [folder], async ({ held }) => {
      await replaceSub();
      await writeFile(join(held, 'result'), 'text', { flag: 'wx' });
    });
    expect(await readFile(join(folder, 'moved', 'result'), 'utf8')).toBe('text');
    await expect(readFile(join(outside, 'result'))).rejects.toThrow('ENOENT');
  },
);

test('an error in a folder has the path that a person knows', async () => {
  const read = inFolder(join(folder, 'sub'), [folder], ({ held }) => readFile(join(held, 'none')));
  await expect(read).rejects.toThrow(`open '${folder}/sub/none'`);
});

test('a file is no folder', async () => {
  await writeFile(join(folder, 'file'), '');
  const used = inFolder(join(folder, 'file'), [folder], async () => undefined);
  await expect(used).rejects.toThrow('file is no folder.');
});

test.each(['sub', 'sub/file', '../outside/file'])(
  '%s is not opened through a link out of the folder',
  async (path) => {
    await writeFile(join(outside, 'file'), '');
    await replaceSub();
    await expect(openInside(join(folder, path), [folder])).rejects.toThrow('outside of the folders');
  },
);

describe.each([
  ['has no links to', undefined],
  ['has lost its links to', join(root, 'none')],
])('where the system %s open files', (_what, descriptors) => {
  const placed = async (change: () => Promise<void>) => {
    const path = join(folder, 'sub', 'file');
    await writeFile(path, 'text');
    await using file = await open(path);
    await change();
    return await placeOf(file, path, descriptors);
  };

  test('its path is taken that leads to it', async () => {
    const path = join(folder, 'sub', 'file');
    expect(await placed(async () => undefined)).toEqual({ path, held: path });
  });

  test('the path of another file is refused', async () => {
    await writeFile(join(outside, 'file'), 'text');
    await expect(placed(replaceSub)).rejects.toThrow('was replaced while it was opened');
  });

  test('so is the path of none', async () => {
    await expect(placed(() => rm(join(folder, 'sub'), { recursive: true }))).rejects.toThrow('ENOENT');
  });
});
