import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleJpeg } from '../../setup/images.ts';
import { type Service, startService } from '../../setup/service.ts';
import { folderOfFile } from '../../setup/temporary-folder.ts';
import { type AssistantOptions, startAssistant } from './assistant.ts';

let service: Service;
let baseUrl: string;
let account: Awaited<ReturnType<Service['client']>>;
const folder = folderOfFile();
const open = join(folder, 'open');

beforeAll(async () => {
  service = await startService();
  baseUrl = `${await service.app.listen({ host: '127.0.0.1', port: 0 })}/api`;
  account = await service.client();
  await mkdir(open);
  await mkdir(join(folder, 'open-not'));
  for (const path of ['open/room.jpg', 'open-not/secret.jpg', 'secret.jpg'])
    await writeFile(join(folder, path), await sampleJpeg());
  await writeFile(join(open, 'notes.jpg'), 'no image');
  await writeFile(join(open, 'huge.jpg'), Buffer.alloc(20 * 1024 * 1024 + 1));
  await symlink(join(folder, 'secret.jpg'), join(open, 'link.jpg'));
  await symlink(join(folder, 'open-not'), join(open, 'folder-link'));
});
afterAll(async () => service?.[Symbol.asyncDispose]());

interface Options extends AssistantOptions {
  folders?: string[] | undefined;
  trustRoots?: boolean;
  apiKey?: string;
  imageOrigins?: string[];
}
const assistant = (options: Options = {}) =>
  startAssistant({ apiKey: account.apiKey, baseUrl, folders: [open], ...options });
const jobs = async () =>
  (await service.app.inject({ url: '/api/v1/jobs', headers: account.headers })).json().data;

describe('an assistant', () => {
  test('finds the tools, and what each may be called with', async () => {
    const { client } = await assistant();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'list_tools',
      'describe_tool',
      'edit_photo',
      'get_job',
      'account',
    ]);
    const edit = tools.find(({ name }) => name === 'edit_photo');
    expect(edit?.inputSchema.required).toEqual(['image', 'tool']);
    expect(client.getInstructions()).toContain('list_tools');
  });

  test('reads the account, the tools and the options of one', async () => {
    const { call } = await assistant();
    const account = await call('account');
    expect(account.value).toMatchObject({ status: 'active', image_credits: 50 });
    expect(JSON.parse(account.text)).toEqual(account.value);
    const { tools } = (await call('list_tools')).value as { tools: Record<string, unknown>[] };
    expect(tools.find(({ slug }) => slug === '4k-upscale')).toEqual({
      slug: '4k-upscale',
      images_cost: 2,
      preview_only: false,
      title: expect.any(String),
      description: expect.any(String),
    });
    expect((await call('describe_tool', { tool: 'roof-replacement' })).value).toMatchObject({
      slug: 'roof-replacement',
      options: { properties: { material: { enum: expect.arrayContaining(['slate']) } } },
    });
  });
});

describe('a call that is wrong', () => {
  const job_id = '562c3e7b-aaae-4ea2-92e7-2c2f301d678c';
  test.each<[string, string, Record<string, unknown>, RegExp]>([
    ['a tool that does not exist', 'describe_tool', { tool: 'roof' }, /^not_found: /],
    ['a path as tool', 'describe_tool', { tool: '../account' }, /^not_found: /],
    ['a job that does not exist', 'get_job', { job_id }, /^job_not_found: /],
    ['no id of a job', 'get_job', { job_id: '../account' }, /job_id/],
    ['no photo', 'edit_photo', { tool: 'declutter' }, /image/],
    ['a wrong type', 'edit_photo', { image: 7, tool: 'declutter' }, /image/],
    ['no object as options', 'edit_photo', { image: 'room.jpg', tool: 'declutter', options: 'x' }, /options/],
    [
      'an edit by a tool that does not exist',
      'edit_photo',
      { image: 'room.jpg', tool: 'roof' },
      /^invalid_tool: /,
    ],
    [
      'a value that the tool does not have',
      'edit_photo',
      { image: 'room.jpg', tool: 'roof-replacement', options: { material: 'gold' } },
      /^invalid_request: .*material/,
    ],
    ['a variant of 0', 'edit_photo', { image: 'room.jpg', tool: 'declutter', variant: 0 }, /variant/],
    [
      'a private URL',
      'edit_photo',
      { image: 'http://127.0.0.1/a.jpg', tool: 'declutter' },
      /^image_fetch_failed: /,
    ],
    ['a tool of ours that does not exist', 'delete_job', {}, /delete_job/],
  ])('says so: %s', async (_what, name, args, message) => {
    const { call } = await assistant({ imageOrigins: ['http://127.0.0.1'] });
    expect(await call(name, args)).toMatchObject({ isError: true, text: expect.stringMatching(message) });
    expect(await jobs()).toEqual([]);
  });

  test('names no part of a key that does not exist', async () => {
    const { call } = await assistant({ apiKey: 'ij_secret' });
    const { isError, text } = await call('account');
    expect([isError, text.startsWith('invalid_api_key: '), text.includes('ij_secret')]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('a path', () => {
  const OUTSIDE = /is outside of the folders that may be used/;
  const edit = (image: string, rest: object = {}) => ({ image, tool: 'declutter', ...rest });
  test.each<[string, Record<string, unknown>, RegExp]>([
    ['above the folder', edit('../secret.jpg'), OUTSIDE],
    ['in a folder whose name begins alike', edit(join(folder, 'open-not/secret.jpg')), OUTSIDE],
    ['that does not exist, outside', edit('/does-not-exist.jpg'), OUTSIDE],
    ['of a link to a file outside', edit('link.jpg'), OUTSIDE],
    ['of a link to a folder outside', edit('folder-link/secret.jpg'), OUTSIDE],
    ['as a URL, outside', edit(pathToFileURL(join(folder, 'secret.jpg')).href), OUTSIDE],
    ['that does not exist', edit('none.jpg'), /none\.jpg does not exist/],
    ['with a null character', edit('a\0.jpg'), /null bytes|does not exist/],
    ['of a folder', edit('.'), /is no file/],
    ['of no image', edit('notes.jpg'), /notes\.jpg is no JPEG, PNG or WebP/],
    ['of a file that is too large', edit('huge.jpg'), /larger than 20 MB/],
    ['of a result outside', edit('room.jpg', { output: '../out.jpg' }), OUTSIDE],
    ['of a result through a link', edit('room.jpg', { output: 'folder-link/out.jpg' }), OUTSIDE],
    ['of a result over a link', edit('room.jpg', { output: 'link.jpg' }), /link\.jpg exists already/],
    ['of a result that is no image', edit('room.jpg', { output: '.bashrc' }), /output must end with/],
  ])('is refused before anything is sent: %s', async (_what, args, message) => {
    const { call } = await assistant();
    expect(await call('edit_photo', args)).toMatchObject({
      isError: true,
      text: expect.stringMatching(message),
    });
    expect(await jobs()).toEqual([]);
  });

  test('may be below a root of the client only where these are trusted', async () => {
    const roots = [pathToFileURL(open).href];
    // The tool is checked after the path.
    const args = { image: 'room.jpg', tool: 'roof' };
    const trusted = await assistant({ folders: undefined, roots });
    expect((await trusted.call('edit_photo', args)).text).toMatch(/^invalid_tool/);
    expect((await trusted.call('edit_photo', { ...args, image: '../secret.jpg' })).text).toMatch(OUTSIDE);
    for (const options of [{ folders: undefined }, { folders: undefined, roots, trustRoots: false }])
      expect((await (await assistant(options)).call('edit_photo', args)).text).toMatch(
        /^No folder may be used/,
      );
    const named = await assistant({ folders: [join(folder, 'open-not')], roots });
    expect((await named.call('edit_photo', { ...args, image: join(open, 'room.jpg') })).text).toMatch(
      OUTSIDE,
    );
  });
});
