import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { create } from 'tar';
import { expect, onTestFinished, test } from 'vitest';
import { fromArchive } from '../../dev/obtain/archive.ts';
import { cacheInto, slot } from '../../dev/obtain/cache.ts';
import { kubernetesSchemas, tools } from '../../dev/obtain/tool-versions.ts';
import { type Archive, pinnedFor, versions } from '../../dev/obtain/versions.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { writeExecutable } from './helpers.ts';

const steps: string[] = [];
const task = { signal: new AbortController().signal, report: (step: string) => void steps.push(step) };

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** A release archive like those of vendors: the binary in a folder, with other files beside it. */
async function releaseArchive(): Promise<Buffer> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'tool-v1', 'bin'), { recursive: true });
  writeExecutable(join(folder, 'tool-v1', 'bin', 'tool'));
  writeExecutable(join(folder, 'tool-v1', 'LICENSE'));
  const file = join(folder, 'release.tgz');
  await create({ file, gzip: true, cwd: folder }, ['tool-v1']);
  return readFileSync(file);
}

test('a release archive is downloaded over a redirect, verified, unpacked and cached', async () => {
  const archive = await releaseArchive();
  const base = await serve((request, response) => {
    if (request.url === '/latest') response.writeHead(302, { location: '/release.tgz' }).end();
    else response.end(archive);
  });
  const cache = temporaryFolder();
  const target = slot(cache, 'tool', 'v1');
  const pinned = { url: `${base}/latest`, sha256: sha256(archive) };
  const strategy = cacheInto(target, 'download', (folder, task) => fromArchive(pinned, 'tool', folder, task));
  expect(await strategy.attempt(task)).toBe(target.binary);
  expect(readdirSync(cache)).toEqual(['tool-v1']);
  expect(steps.slice(-2)).toEqual(['verifying', 'unpacking']);
});

test('an archive with another digest than the pinned one is not unpacked', async () => {
  const archive = await releaseArchive();
  const base = await serve((_, response) => response.end(archive));
  const folder = temporaryFolder();
  const pinned = { url: base, sha256: sha256(Buffer.from('the release')) };
  await expect(fromArchive(pinned, 'tool', folder, task)).rejects.toThrow(
    `has the SHA-256 ${sha256(archive)}, not ${pinned.sha256}`,
  );
  expect(readdirSync(folder)).toEqual(['archive.tgz']);
});

test('only the requested file is unpacked, and nothing outside the folder', async () => {
  const source = temporaryFolder();
  const outside = join('..', basename(source), 'tool');
  const file = join(source, 'release.tgz');
  mkdirSync(join(source, 'bin'));
  for (const path of ['tool', 'README', join('bin', 'tool')]) writeExecutable(join(source, path));
  symlinkSync('/etc/passwd', join(source, 'link'));
  const members = [outside, join(source, 'tool'), 'README', 'link', join('bin', 'tool')];
  await create({ file, gzip: true, cwd: source, preservePaths: true }, members);
  const archive = readFileSync(file);
  const base = await serve((_, response) => response.end(archive));
  const parent = temporaryFolder();
  const folder = join(parent, 'in');
  mkdirSync(folder);
  const path = await fromArchive({ url: base, sha256: sha256(archive) }, 'tool', folder, task);
  expect(basename(path)).toBe('tool');
  expect(readdirSync(parent)).toEqual(['in']);
  const unpacked = readdirSync(folder, { recursive: true, withFileTypes: true });
  expect(new Set(unpacked.filter((entry) => !entry.isDirectory()).map(({ name }) => name))).toEqual(
    new Set(['archive.tgz', 'tool']),
  );
});

test('a response without an archive, a missing release and an archive without the binary fail', async () => {
  const archive = await releaseArchive();
  const portal = Buffer.from('captive portal, please log in');
  const base = await serve((request, response) => {
    if (request.url === '/missing') response.writeHead(404);
    response.end(request.url === '/release' ? archive : portal);
  });
  const attempt = (path: string, bytes: Buffer) =>
    fromArchive({ url: `${base}${path}`, sha256: sha256(bytes) }, 'other', temporaryFolder(), task);
  await expect(attempt('/portal', portal)).rejects.toThrow();
  await expect(attempt('/missing', archive)).rejects.toThrow('/missing answered 404');
  await expect(attempt('/release', archive)).rejects.toThrow('holds no other');
});

test('a truncated download fails', async () => {
  const archive = await releaseArchive();
  const base = await serve((_, response) => {
    response.writeHead(200, { 'content-length': String(archive.length) });
    response.write(archive.subarray(0, 40), () => response.destroy());
  });
  const pinned = { url: base, sha256: sha256(archive) };
  await expect(fromArchive(pinned, 'tool', temporaryFolder(), task)).rejects.toThrow();
});

test('every archive has a pinned digest and the URL of its version', () => {
  const schemas = { ...kubernetesSchemas, archives: { any: kubernetesSchemas.file } };
  for (const { release, archives } of [...Object.values(versions), ...Object.values(tools), schemas])
    for (const { url, sha256 } of Object.values<Archive>(archives)) {
      expect(url).toMatch(/^https:\/\//);
      expect(url).toContain(release);
      expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    }
});

test('a machine without a pinned digest has no archive', () => {
  const { archives } = versions.versitygw;
  expect(pinnedFor<Archive>(archives, { platform: 'linux', arch: 'x64' })?.url).toContain('_Linux_x86_64');
  expect(pinnedFor<Archive>(archives, { platform: 'aix', arch: 'ppc64' })).toBeUndefined();
});
