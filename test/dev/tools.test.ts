import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { vendorDownload } from '../../dev/obtain/archive.ts';
import { cached, slot } from '../../dev/obtain/cache.ts';
import { obtain } from '../../dev/obtain/chain.ts';
import { goBuild } from '../../dev/obtain/go-build.ts';
import { onPath } from '../../dev/obtain/on-path.ts';
import { tools } from '../../dev/obtain/tool-versions.ts';
import { obtainTool, strategiesFor } from '../../dev/obtain/tools.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { writeExecutable } from './helpers.ts';

const { signal } = new AbortController();
const task = { signal, report: () => {} };
const context = { say: () => {}, signal };

/** A PATH with a `go` that writes its go.mod and its arguments to files, and makes a program that runs. */
function pathWithGo(folder: string): string {
  writeExecutable(
    join(folder, 'go'),
    `[ -e go.mod ] && while read -r line; do echo "$line"; done < go.mod > ${folder}/module
echo "$@" > ${folder}/arguments
case "$1" in install) made=$GOBIN/tool ;; build) made=$PWD/tool ;; esac
echo '#!/bin/sh' > "$made"; chmod 755 "$made"`,
  );
  return `${folder}:/usr/bin:/bin`;
}

test('a tool is looked for on PATH and in the cache, then downloaded, and built with Go only at last', () => {
  const names = ['on PATH', 'cached', 'vendor download'];
  expect(strategiesFor('kustomize', {}).map(({ name }) => name)).toEqual([...names, 'go install']);
  expect(strategiesFor('promtool', {}).map(({ name }) => name)).toEqual([...names, 'go build']);
});

test('every tool can be downloaded for Linux and macOS on both processors', () => {
  const machines = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];
  for (const { archives } of Object.values(tools)) expect(Object.keys(archives).sort()).toEqual(machines);
});

test('a tool on PATH is used if it is of the pinned release', async () => {
  const folder = temporaryFolder();
  const path = writeExecutable(join(folder, 'kubeconform'), `echo ${tools.kubeconform.release}`);
  const env = { PATH: folder, XDG_CACHE_HOME: temporaryFolder() };
  expect(await obtainTool('kubeconform', { ...context, env })).toBe(path);
});

test('a tool that nothing can obtain fails with what was tried and what to install', async () => {
  const place = slot(temporaryFolder(), 'tool', 'v1.2.3');
  const program = { release: 'v1.2.3', goPackage: 'example.com/tool' };
  const env = { PATH: temporaryFolder() };
  const strategies = [
    onPath('tool', env, program),
    cached(place),
    vendorDownload(place, { archives: {} }),
    goBuild(place, program, env),
  ];
  const message = [
    'tool could not be obtained. Tried:',
    '  on PATH: no executable named tool',
    `  cached: nothing at ${place.binary}`,
    `  vendor download: no digest is pinned for ${process.platform} on ${process.arch}`,
    '  go install: spawn go ENOENT',
    '  Install tool.',
  ].join('\n');
  await expect(obtain('tool', strategies, 'Install tool.', context)).rejects.toThrow(message);
});

test('a program is installed from its module in the pinned release, and cached', async () => {
  const folder = temporaryFolder();
  const place = slot(temporaryFolder(), 'tool', 'v1');
  const program = { release: 'v1', goPackage: 'example.com/tool/v5' };
  const strategy = goBuild(place, program, { PATH: pathWithGo(folder) });
  expect(await strategy.attempt(task)).toBe(place.binary);
  expect(readFileSync(join(folder, 'arguments'), 'utf8')).toMatch(/^install .*example\.com\/tool\/v5@v1\n$/);
});

test('a program that cannot be installed from its module is built in one that requires it', async () => {
  const folder = temporaryFolder();
  const place = slot(temporaryFolder(), 'tool', 'v3.1.0');
  const goModule = { path: 'example.com/all', version: 'v0.301.0', tags: 'small' };
  const program = { release: 'v3.1.0', goPackage: 'example.com/all/cmd/tool', goModule };
  const strategy = goBuild(place, program, { PATH: pathWithGo(folder) });
  expect(await strategy.attempt(task)).toBe(place.binary);
  expect(readFileSync(join(folder, 'module'), 'utf8')).toContain('require example.com/all v0.301.0\n');
  const args = readFileSync(join(folder, 'arguments'), 'utf8');
  expect(args).toMatch(/^build .*-tags small .*example\.com\/all\/cmd\/tool\n$/);
  expect(readdirSync(dirname(place.binary))).toEqual(['tool']);
});
