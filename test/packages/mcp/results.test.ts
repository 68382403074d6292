import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { folderOfFile } from '../../setup/temporary-folder.ts';
import { fakeService, jpegOf } from '../client/fake-service.ts';
import { startAssistant } from './assistant.ts';

const root = folderOfFile();
/** The folder that may be used, with `sub/room.jpg`; `outside` may not. */
let folder: string;
let outside: string;

beforeEach(async ({ task }) => {
  folder = join(root, task.id, 'folder');
  outside = join(root, task.id, 'outside');
  for (const path of [join(folder, 'sub'), outside]) await mkdir(path, { recursive: true });
  await writeFile(join(folder, 'sub', 'room.jpg'), jpegOf('room').stream());
});

/** @param change happens after the charge, while the result is downloaded */
async function assistant(change: () => Promise<unknown>) {
  let isDone = false;
  const service = fakeService({
    async answer({ pathname }) {
      if (pathname.startsWith('/results/') && !isDone) {
        isDone = true;
        await change();
      }
      return undefined;
    },
  });
  const connection = { apiKey: 'ij_key', baseUrl: 'https://api.example.com/api', folders: [folder] };
  const { call } = await startAssistant({ ...connection, fetch: service.fetch });
  return { call, service };
}

const moveSub = () => rename(join(folder, 'sub'), join(folder, 'moved'));
const edit = { image: 'sub/room.jpg', tool: 'declutter' };

describe('while a job is processing', () => {
  test.each([
    ['next to the photo', edit],
    ['by output', { ...edit, output: 'sub/out.jpg' }],
  ])(
    'a link that takes the place of the folder of the result leads nothing out: %s',
    async (_where, args) => {
      const { call, service } = await assistant(async () => {
        await moveSub();
        await symlink(outside, join(folder, 'sub'));
      });
      const saved = await call('edit_photo', args);
      expect(saved).toMatchObject({
        isError: true,
        text: expect.stringMatching(
          /^The result was not saved; .* is not charged again\. .* is outside of the folders /,
        ),
      });
      expect([await readdir(outside), service.state.posts]).toEqual([[], 1]);
    },
  );

  test('a folder that is moved away is an error, and the same call saves the result once it is back', async () => {
    const { call, service } = await assistant(moveSub);
    const args = { ...edit, output: 'sub/out.jpg' };
    expect((await call('edit_photo', args)).text).toMatch(/^The result was not saved; /);
    await rename(join(folder, 'moved'), join(folder, 'sub'));
    expect((await call('edit_photo', args)).value).toMatchObject({ file: join(folder, 'sub', 'out.jpg') });
    expect(service.state.posts).toBe(1);
  });

  test('a link that takes the name of the result is not followed', async () => {
    const out = join(folder, 'sub', 'out.jpg');
    const { call } = await assistant(() => symlink(join(outside, 'new.jpg'), out));
    expect((await call('edit_photo', { ...edit, output: 'sub/out.jpg' })).text).toMatch(
      /^The result was not saved; .* out\.jpg exists by now\.$/,
    );
    expect(await readdir(outside)).toEqual([]);
  });
});
