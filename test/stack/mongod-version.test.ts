import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mongodVersion, outdatedMongod } from '../../stack/servers/mongod-version.ts';
import { versions } from '../../stack/versions.ts';
import { temporaryFolder, writeExecutable } from './helpers.ts';

const { signal } = new AbortController();

test.each(['7.0.24', '6.0.5', '6.0.27', '4.4.31', '8.0.31'])(
  'mongod %s is said to be outdated',
  (version) => {
    const line = outdatedMongod(version, '/usr/bin/mongod');
    expect(line).toContain(`${version} (/usr/bin/mongod) lacks fixes`);
    expect(line).toContain('bound to 127.0.0.1');
    expect(line).toContain(versions.mongod.release);
    expect(line).not.toContain('\n');
  },
);

test.each(['7.0.43', '7.0.48', '8.0.32', '8.2.11', '9.0.1'])('nothing is said of mongod %s', (version) => {
  expect(outdatedMongod(version, '/usr/bin/mongod')).toBeUndefined();
});

test('the release that is downloaded is one that nothing is said of', () => {
  expect(outdatedMongod(versions.mongod.release, 'mongod')).toBeUndefined();
});

test('the version is what the binary says of itself', async () => {
  const binary = writeExecutable(
    join(temporaryFolder(), 'mongod'),
    'echo "db version v7.0.43"; echo "Build"',
  );
  expect(await mongodVersion(binary, signal)).toBe('7.0.43');
  const other = writeExecutable(join(temporaryFolder(), 'mongod'));
  await expect(mongodVersion(other, signal)).rejects.toThrow('does not say its version');
});
