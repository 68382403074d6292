import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Served, serveHttp } from '../../lib/egress/servers.ts';
import { sampleJpeg } from '../../setup/images.ts';
import { type Service, startService } from '../../setup/service.ts';
import { folderOfFile } from '../../setup/temporary-folder.ts';
import { type FaultyProxy, startFaultyProxy } from '../client/faulty-proxy.ts';
import { type Connection, startAssistant } from './assistant.ts';

let service: Service;
let worker: AsyncDisposable;
let proxy: FaultyProxy;
let site: Served;
let jpeg: Buffer;
const root = folderOfFile();
/** One for each test, with `room.jpg`. */
let folder: string;
let photo: string;
let account: Awaited<ReturnType<Service['client']>>;

beforeAll(async () => {
  jpeg = await sampleJpeg();
  site = await serveHttp((_request, response) =>
    response.writeHead(200, { 'Content-Type': 'image/jpeg' }).end(jpeg),
  );
  service = await startService({ env: { EGRESS_ALLOW_ORIGINS: site.origin } });
  proxy = await startFaultyProxy(await service.app.listen({ host: '127.0.0.1', port: 0 }));
  worker = await service.startWorker();
});
afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await worker?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
});
beforeEach(async ({ task }) => {
  account = await service.client();
  proxy.requests.length = 0;
  folder = join(root, task.id);
  await mkdir(folder);
  photo = join(folder, 'room.jpg');
  await writeFile(photo, jpeg);
});

const assistant = (options: Partial<Connection> = {}) =>
  startAssistant({ apiKey: account.apiKey, baseUrl: proxy.baseUrl, folders: [folder], ...options });
const balance = async () => (await service.stores.accounts.get(account.accountId)).balance;
const posts = () => proxy.requests.filter(({ method }) => method === 'POST').map(({ path }) => path);

describe('a photo that is edited', () => {
  test('has its result next to it, as a file that is linked', async () => {
    const { call } = await assistant();
    const progress: string[] = [];
    const edited = await call('edit_photo', { image: photo, tool: 'declutter' }, (message) =>
      progress.push(message),
    );
    const file = join(folder, 'room.declutter.jpg');
    expect(edited).toMatchObject({
      isError: false,
      links: [pathToFileURL(file).href],
      value: { status: 'completed', images_charged: 1, file, warnings: [] },
    });
    expect(edited.text).toBe(`The result was saved as ${file}. The job was charged 1 image.`);
    expect((await sharp(await readFile(file)).metadata()).format).toBe('jpeg');
    // On a slow machine, each is said again every few seconds.
    expect(progress.filter((message) => !/ \(\d+ s\)$/.test(message))).toEqual([
      'Checking the photo and the price',
      'Sending the photo',
      expect.stringMatching(/^Job [0-9a-f-]{36} is processing$/),
      'Downloading the result',
    ]);
    expect(await balance()).toBe(49);
  });

  test('takes options, a path below the folder, a file URL and an output', async () => {
    const { call } = await assistant();
    const options = { material: 'slate', colour: 'red' };
    const edited = await call('edit_photo', {
      image: pathToFileURL(photo).href,
      tool: 'roof-replacement',
      options,
      output: 'roof.jpg',
    });
    expect(edited.value).toMatchObject({
      file: join(folder, 'roof.jpg'),
      warnings: [expect.stringContaining('colour')],
    });
    expect(await call('get_job', { job_id: edited.value?.job_id })).toMatchObject({
      value: { tool: 'roof-replacement', status: 'completed' },
    });
  });

  test('by URL is fetched by the service, and its result linked', async () => {
    const { call } = await assistant({ imageOrigins: [site.origin] });
    const edited = await call('edit_photo', { image: `${site.origin}/room.jpg`, tool: 'declutter' });
    expect(edited.value).toMatchObject({ status: 'completed', file: null });
    expect(edited.links).toEqual(edited.value?.result_urls);
    expect(await readdir(folder)).toEqual(['room.jpg']);
  });

  test('overwrites nothing', async () => {
    await writeFile(join(folder, 'room.declutter.jpg'), 'mine');
    const { call } = await assistant();
    const taken = { image: photo, tool: 'declutter', output: photo };
    expect(await call('edit_photo', taken)).toMatchObject({
      isError: true,
      text: 'room.jpg exists already; choose another output.',
    });
    expect(await balance()).toBe(50);
    const edited = await call('edit_photo', { image: photo, tool: 'declutter' });
    expect(edited.value).toMatchObject({ file: join(folder, 'room.declutter-2.jpg') });
    expect(await readFile(join(folder, 'room.declutter.jpg'), 'utf8')).toBe('mine');
  });
});

describe('the same call again', () => {
  test('is the same job and the same file, without sending the photo again', async () => {
    const { call } = await assistant();
    const edit = { image: photo, tool: 'declutter', output: 'out.jpg' };
    const first = await call('edit_photo', edit);
    const sent = posts().length;
    expect(await call('edit_photo', edit)).toEqual(first);
    expect(posts()).toHaveLength(sent);
    await rm(join(folder, 'out.jpg'));
    expect(await call('edit_photo', edit)).toEqual(first);
    expect([await balance(), await readdir(folder)]).toEqual([49, ['out.jpg', 'room.jpg']]);
  });

  test('at the same time is charged once', async () => {
    const { call } = await assistant();
    const edits = await Promise.all(
      [1, 2].map(() => call('edit_photo', { image: photo, tool: 'declutter' })),
    );
    expect(new Set(edits.map(({ value }) => value?.job_id)).size).toBe(1);
    expect(await balance()).toBe(49);
  });

  test('after one that was stopped on the way is charged once, and not asked about again', async () => {
    let asked = 0;
    const { client, call } = await assistant({
      elicit: () => {
        asked += 1;
        return { action: 'accept', content: { confirm: true } };
      },
    });
    const edit = { image: photo, tool: '4k-upscale' };
    const stop = new AbortController();
    const stopped = client.callTool({ name: 'edit_photo', arguments: edit }, undefined, {
      signal: stop.signal,
      onprogress: ({ message }) => message === 'Sending the photo' && stop.abort(),
    });
    await expect(stopped).rejects.toThrow();
    expect((await call('edit_photo', edit)).value).toMatchObject({ status: 'completed' });
    expect([asked, await balance()]).toEqual([1, 48]);
    expect(posts().filter((path) => path.includes('dry_run'))).toHaveLength(1);
  });

  test('is another job with another variant, photo or option, and in another session', async () => {
    const { call } = await assistant();
    const edit = { image: photo, tool: 'roof-replacement' };
    const other = join(folder, 'other.jpg');
    await writeFile(other, await sampleJpeg(80, 60));
    const edited = await Promise.all([
      ...[{}, { variant: 2 }, { options: { material: 'slate' } }, { image: other }].map((change) =>
        call('edit_photo', { ...edit, ...change }),
      ),
      (await assistant()).call('edit_photo', edit),
    ]);
    expect(new Set(edited.map(({ value }) => value?.job_id)).size).toBe(5);
    expect(await balance()).toBe(45);
  });

  test('is another job when the first one failed and was refunded', async () => {
    await writeFile(photo, (await sampleJpeg(640, 480)).subarray(0, 700));
    const { call } = await assistant();
    const edit = { image: photo, tool: 'declutter' };
    for (const _ of [1, 2]) {
      const failed = await call('edit_photo', edit);
      expect(failed).toMatchObject({
        isError: true,
        text: expect.stringMatching(/^The job failed and was refunded: /),
      });
    }
    expect(posts().filter((path) => path === '/api/v1/jobs')).toHaveLength(2);
    expect(await balance()).toBe(50);
  });
});

test('a job that takes longer than a client waits is taken up by the same call', async () => {
  let isSlow = true;
  /** Shows jobs as they were a moment before they ended. */
  const fetch: Connection['fetch'] = async (url, init) => {
    const response = await globalThis.fetch(url, init);
    if (!isSlow || init?.method !== 'GET') return response;
    const job: object = JSON.parse(await response.text());
    return Response.json({ ...job, status: 'processing', result_urls: [] });
  };
  const { call } = await assistant({ fetch, waitMs: { watched: 1, unwatched: 1 } });
  const edit = { image: photo, tool: 'declutter' };
  const waiting = await call('edit_photo', edit);
  expect(waiting).toMatchObject({
    isError: false,
    value: { status: 'processing', file: null },
    text: expect.stringContaining('Call edit_photo again with the same arguments'),
  });
  isSlow = false;
  const ended = async () => (await call('edit_photo', edit)).value?.status;
  await expect.poll(ended).toBe('completed');
  expect((await call('edit_photo', edit)).value).toMatchObject({
    job_id: waiting.value?.job_id,
    file: join(folder, 'room.declutter.jpg'),
  });
  expect(await balance()).toBe(49);
});

describe('an edit that costs 2 images', () => {
  const expensive = () => ({ image: photo, tool: 'declutter', options: { resolution: '4K' } });

  test('asks whoever sits at the client, once', async () => {
    const asked: string[] = [];
    const { call } = await assistant({
      elicit: (message) => {
        asked.push(message);
        return { action: 'accept', content: { confirm: true } };
      },
    });
    expect((await call('edit_photo', expensive())).value).toMatchObject({ images_charged: 2 });
    await call('edit_photo', expensive());
    expect(asked).toEqual(['declutter costs 2 images for this photo, and leaves 48. Go on?']);
    expect(await balance()).toBe(48);
  });

  test.each([
    [{ action: 'decline' as const }],
    [{ action: 'cancel' as const }],
    [{ action: 'accept' as const, content: { confirm: false } }],
  ])('is not charged after %j, whatever the assistant says', async (answer) => {
    const { call } = await assistant({ elicit: () => answer });
    expect(await call('edit_photo', { ...expensive(), confirm_images: 2 })).toMatchObject({
      isError: true,
      text: 'The user did not agree to spend 2 images. Nothing was charged.',
    });
    expect(await balance()).toBe(50);
  });

  test('needs confirm_images where nobody can be asked', async () => {
    const { call } = await assistant();
    for (const confirm of [{}, { confirm_images: 1 }])
      expect(await call('edit_photo', { ...expensive(), ...confirm })).toMatchObject({
        isError: true,
        text: expect.stringContaining('repeat the call with confirm_images: 2.'),
      });
    expect(await balance()).toBe(50);
    expect((await call('edit_photo', { ...expensive(), confirm_images: 2 })).isError).toBe(false);
    expect(await balance()).toBe(48);
  });
});
