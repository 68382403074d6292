import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { run } from '../../../packages/client/src/cli/run.ts';
import { sampleJpeg } from '../../setup/images.ts';
import { type Service, startService } from '../../setup/service.ts';
import { folderOfFile } from '../../setup/temporary-folder.ts';
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts';

let service: Service;
let worker: AsyncDisposable;
let proxy: FaultyProxy;
const root = folderOfFile();
/** One for each test: photos to edit, and their results. */
let folder: string;
let account: Awaited<ReturnType<Service['client']>>;

beforeAll(async () => {
  service = await startService();
  proxy = await startFaultyProxy(await service.app.listen({ host: '127.0.0.1', port: 0 }));
  worker = await service.startWorker();
});
afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await worker?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});
beforeEach(async ({ task }) => {
  account = await service.client();
  proxy.requests.length = 0;
  folder = join(root, task.id);
  await mkdir(join(folder, 'in', 'floor 2'), { recursive: true });
});

async function imageJob(args: string[], { signal = new AbortController().signal, env = {} } = {}) {
  const written = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof written) => ({
    write(text: string) {
      written[name] += text;
    },
  });
  const code = await run(
    args,
    { IMAGE_JOB_API_KEY: account.apiKey, IMAGE_JOB_BASE_URL: proxy.baseUrl, ...env },
    { stdout: stream('stdout'), stderr: stream('stderr'), signal },
  );
  expect(written.stdout + written.stderr).not.toContain(account.apiKey);
  return {
    code,
    ...written,
    lines: () =>
      written.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
  };
}

const balance = async () => (await service.stores.accounts.get(account.accountId)).balance;
const posts = () => proxy.requests.filter(({ method }) => method === 'POST').length;

/** Three photos that differ, one of them in a folder below. */
async function threePhotos(): Promise<string[]> {
  const names = ['a.jpg', 'b.jpg', join('floor 2', 'c.jpg')];
  const colours = ['#aa5522', '#22aa55', '#5522aa'];
  for (const [index, name] of names.entries())
    await writeFile(join(folder, 'in', name), await sampleJpeg(64, 48, colours[index]));
  return names;
}

describe('image-job edit', () => {
  test('writes the result of a photo next to it, or where -o says', async () => {
    const photo = join(folder, 'in', 'room.jpg');
    await writeFile(photo, await sampleJpeg());
    const args = ['edit', photo, '--tool', 'roof-replacement', '--option', 'material=slate'];
    const besides = await imageJob(args);
    expect(besides).toMatchObject({
      code: 0,
      stdout: `${photo} -> ${folder}/in/room.roof-replacement.jpg\n`,
    });
    const chosen = join(folder, 'new', 'out.jpg');
    expect(await imageJob([...args, '-o', chosen])).toMatchObject({ code: 0 });
    expect((await sharp(chosen).metadata()).width).toBe(2048);
    expect(await balance()).toBe(49);
  });

  test('edits a folder, and sends nothing again that was charged', async () => {
    const names = await threePhotos();
    const args = ['edit', join(folder, 'in'), '--tool', 'declutter', '-o', join(folder, 'out'), '--json'];
    const first = await imageJob(args);
    expect(first.code).toBe(0);
    expect(first.lines().map(({ status, images_charged }) => [status, images_charged])).toEqual(
      names.map(() => ['completed', 1]),
    );
    const written = await readdir(join(folder, 'out'), { recursive: true });
    expect(written).toEqual(expect.arrayContaining([...names, '.image-job.jsonl']));

    proxy.requests.length = 0;
    const again = await imageJob(args);
    expect(again.lines().map(({ status }) => status)).toEqual(['kept', 'kept', 'kept']);
    expect(proxy.requests.map(({ path }) => path)).toEqual(['/api/v1/tools/declutter']);

    await rm(join(folder, 'out'), { recursive: true });
    const restored = await imageJob(args);
    expect(restored.lines().map(({ status, images_charged }) => [status, images_charged])).toEqual(
      names.map(() => ['completed', 0]),
    );
    expect([posts(), await balance()]).toEqual([0, 47]);
  });

  test('edits a photo anew for another option or another record', async () => {
    const photo = join(folder, 'in', 'room.jpg');
    await writeFile(photo, await sampleJpeg());
    const args = ['edit', photo, '--tool', 'sky-replacement'];
    for (const more of [[], ['--option', 'resolution=4K'], ['--record', 'second try']])
      expect(await imageJob([...args, ...more])).toMatchObject({ code: 0 });
    expect(await balance()).toBe(46);
  });

  test('goes on where an interrupted run was, with one charge for each photo', async () => {
    await threePhotos();
    const args = ['edit', join(folder, 'in'), '--tool', 'declutter', '-o', join(folder, 'out')];
    const stop = new AbortController();
    proxy.fail('POST', 'drop', 'drop');
    const interrupted = imageJob([...args, '--concurrency', '2'], { signal: stop.signal });
    await expect.poll(balance).toBeLessThan(50);
    stop.abort();
    expect(await interrupted).toMatchObject({ code: 130, stderr: expect.stringContaining('Interrupted.') });
    expect(await imageJob(args)).toMatchObject({ code: 0 });
    expect(await balance()).toBe(47);
    expect(await service.stores.ledger.audit(account.accountId)).toEqual([]);
  });

  test('says which photo failed, and ends with 1', async () => {
    const [first = '', second = ''] = await threePhotos();
    await writeFile(join(folder, 'in', second), 'no photo');
    const args = ['edit', join(folder, 'in'), '--tool', 'declutter', '-o', join(folder, 'out'), '--json'];
    const { code, lines } = await imageJob(args);
    expect(code).toBe(1);
    const byInput = new Map(lines().map((line) => [line.input, line]));
    expect(byInput.get(join(folder, 'in', first))).toMatchObject({ status: 'completed', error: null });
    expect(byInput.get(join(folder, 'in', second))).toMatchObject({
      status: 'failed',
      images_charged: 0,
      error: expect.stringContaining('JPEG'),
    });
  });

  test('stops when the balance is used up', async () => {
    await service.mongo.db
      .collection<{ _id: string }>('accounts')
      .updateOne({ _id: account.accountId }, { $set: { balance: 1 } });
    await threePhotos();
    const { code, stderr } = await imageJob([
      ...['edit', join(folder, 'in'), '--tool', 'declutter', '-o', join(folder, 'out'), '--concurrency', '1'],
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain('Not sent, because none could succeed: 1');
    expect(posts()).toBe(2);
  });

  test('prices photos without charging them', async () => {
    const [first = ''] = await threePhotos();
    const photo = join(folder, 'in', first);
    const args = ['edit', photo, '--tool', 'declutter', '--option', 'resolution=4K', '--dry-run'];
    expect(await imageJob(args)).toMatchObject({ code: 0, stdout: `${photo}: 2 images\n` });
    expect(await balance()).toBe(50);
  });
});

describe('image-job', () => {
  test('shows tools and account', async () => {
    expect((await imageJob(['tools'])).stdout).toContain('4k-upscale  2\n');
    expect((await imageJob(['tools', 'pool-removal', '--json'])).lines()[0]).toMatchObject({
      slug: 'pool-removal',
    });
    expect((await imageJob(['account'])).stdout).toBe('Client key: 50 images\n');
    expect((await imageJob(['--version'])).stdout).toBe('0.1.0\n');
    expect((await imageJob(['--help'])).stdout).toMatch(/^Usage: image-job <command>/);
  });

  test.each([
    [['remove'], 'There is no command "remove"'],
    [['edit', '--tool', 'declutter'], 'Name a photo or a folder'],
    [['edit', 'room.jpg'], '--tool is missing'],
    [['edit', '/no/room.jpg', '--tool', 'declutter'], '/no/room.jpg does not exist.'],
    [['edit', 'docs', '--tool', 'declutter'], '-o FOLDER is missing'],
    [['edit', 'docs', 'docs', '--tool', 'declutter', '-o', '/tmp/new'], 'would both become'],
    [
      ['edit', 'docs/sample-room.jpg', '--tool', 'declutter', '-o', 'docs/sample-room.jpg'],
      'is itself a photo',
    ],
    [['edit', 'docs', '--tool', 'declutter', '--option', 'sky'], '--option sky: must be KEY=VALUE.'],
    [['edit', 'docs', '--tool', 'declutter', '--concurrency', '99'], '--concurrency must be'],
    [['edit', 'docs', '--api-key', 'x'], "Unknown option '--api-key'"],
    [['account', '--base-url', 'nowhere'], 'baseUrl must be an http or https URL'],
  ])('%j is refused: %s', async (args, message) => {
    const { code, stderr, stdout } = await imageJob(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  test('asks for what the environment lacks', async () => {
    const missing = (env: object) => imageJob(['account'], { env });
    expect(await missing({ IMAGE_JOB_API_KEY: undefined })).toMatchObject({ code: 2 });
    expect((await missing({ IMAGE_JOB_BASE_URL: undefined })).stderr).toContain('IMAGE_JOB_BASE_URL');
  });

  test('says what the service says', async () => {
    const { code, stderr } = await imageJob(['edit', 'docs/sample-room.jpg', '--tool', 'declutered']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('declutter')]);
    const wrongKey = await imageJob(['account'], { env: { IMAGE_JOB_API_KEY: 'ij_wrong' } });
    expect(wrongKey).toMatchObject({ code: 1, stderr: expect.not.stringContaining('ij_wrong') });
  });

  test('reads its record of results though a line of it was cut off', async () => {
    const photo = join(folder, 'in', 'a.jpg');
    await writeFile(photo, await sampleJpeg());
    const args = ['edit', join(folder, 'in'), '--tool', 'declutter', '-o', join(folder, 'out'), '--json'];
    await imageJob(args);
    const record = join(folder, 'out', '.image-job.jsonl');
    await writeFile(record, `["cut\n${await readFile(record, 'utf8')}["/a`);
    expect((await imageJob(args)).lines()).toMatchObject([{ status: 'kept' }]);
  });
});
