import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { create } from 'tar';
import { expect, onTestFinished, test } from 'vitest';
import { fromArchive } from '../../stack/obtain/archive.ts';
import { slot } from '../../stack/obtain/cache.ts';
import { kept } from '../../stack/obtain/kept.ts';
import { mongodArchive } from '../../stack/obtain/vendor-mongod.ts';
import { temporalArchive } from '../../stack/obtain/vendor-temporal.ts';
import { versitygwArchive } from '../../stack/obtain/vendor-versitygw.ts';
import { versions } from '../../stack/versions.ts';
import { temporaryFolder, writeExecutable } from './helpers.ts';

const steps: string[] = [];
const task = { signal: new AbortController().signal, report: (step: string) => void steps.push(step) };

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A release archive as vendors make them: the binary in a folder of its own, with papers beside it. */
async function releaseArchive(): Promise<Buffer> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'tool-v1', 'bin'), { recursive: true });
  writeExecutable(join(folder, 'tool-v1', 'bin', 'tool'));
  writeExecutable(join(folder, 'tool-v1', 'LICENSE'));
  const file = join(folder, 'release.tgz');
  await create({ file, gzip: true, cwd: folder }, ['tool-v1']);
  return readFileSync(file);
}

test('a release archive is downloaded over a redirect, unpacked and kept', async () => {
  const archive = await releaseArchive();
  const base = await serve((request, response) => {
    if (request.url === '/latest') response.writeHead(302, { location: '/release.tgz' }).end();
    else response.end(archive);
  });
  const cache = temporaryFolder();
  const place = slot(cache, 'tool', 'v1');
  const strategy = kept(place, 'download', (folder, task) =>
    fromArchive(`${base}/latest`, 'tool', folder, task),
  );
  expect(await strategy.attempt(task)).toBe(place.binary);
  expect(readdirSync(cache)).toEqual(['tool-v1']);
  expect(steps).toContain('unpacking');
});

test('an answer that is no archive, a missing release and an archive without the binary each say why', async () => {
  const archive = await releaseArchive();
  const base = await serve((request, response) => {
    if (request.url === '/missing') response.writeHead(404);
    response.end(request.url === '/release' ? archive : 'captive portal, please log in');
  });
  const attempt = (path: string) => fromArchive(`${base}${path}`, 'other', temporaryFolder(), task);
  await expect(attempt('/portal')).rejects.toThrow();
  await expect(attempt('/missing')).rejects.toThrow('/missing answered 404');
  await expect(attempt('/release')).rejects.toThrow('holds no other');
});

test('a download cut short is a failure', async () => {
  const archive = await releaseArchive();
  const base = await serve((_, response) => {
    response.writeHead(200, { 'content-length': String(archive.length) });
    response.write(archive.subarray(0, 40), () => response.destroy());
  });
  await expect(fromArchive(base, 'tool', temporaryFolder(), task)).rejects.toThrow();
});

test('each vendor is asked for the pinned version and this machine', async () => {
  expect(await mongodArchive()).toContain(versions.mongod.release);
  expect(temporalArchive({ platform: 'darwin', arch: 'arm64' })).toContain(
    `${versions.temporal.release}?platform=darwin&arch=arm64`,
  );
  expect(versitygwArchive({ platform: 'linux', arch: 'x64' })).toContain('_Linux_x86_64.tar.gz');
  expect(() => versitygwArchive({ platform: 'aix', arch: 'ppc64' })).toThrow('no release for aix on ppc64');
});
