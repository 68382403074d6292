import { join } from 'node:path';
import { expect, test } from 'vitest';
import { versions } from '../../dev/obtain/versions.ts';
import { mongodVersion, outdatedMongod } from '../../dev/servers/mongod-version.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { writeExecutable } from './helpers.ts';

const { signal } = new AbortController();

test.each(['7.0.24', '6.0.5', '6.0.27', '4.4.31', '8.0.31'])(
  'mongod %s is reported as outdated',
  (version) => {
    const line = outdatedMongod(version, '/usr/bin/mongod');
    expect(line).toContain(`${version} (/usr/bin/mongod) lacks fixes`);
    expect(line).toContain('bound to 127.0.0.1');
    expect(line).toContain(versions.mongod.release);
    expect(line).not.toContain('\n');
  },
);

test.each(['7.0.43', '7.0.48', '8.0.32', '8.2.11', '9.0.1'])(
  'there is no warning about mongod %s',
  (version) => {
    expect(outdatedMongod(version, '/usr/bin/mongod')).toBeUndefined();
  },
);

test('there is no warning about the pinned release', () => {
  expect(outdatedMongod(versions.mongod.release, 'mongod')).toBeUndefined();
});

test('the version is read from the binary', async () => {
  const binary = writeExecutable(
    join(temporaryFolder(), 'mongod'),
    'echo "db version v7.0.43"; echo "Build"',
  );
  expect(await mongodVersion(binary, signal)).toBe('7.0.43');
  const other = writeExecutable(join(temporaryFolder(), 'mongod'));
  await expect(mongodVersion(other, signal)).rejects.toThrow('printed no version');
});
