import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { environmentProblems, loadConfig } from '../../lib/process/config/config.ts';
import { SECRETS } from '../../lib/process/config/secret-files.ts';
import { REQUIRED } from '../setup/required.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

/** @returns the path of a new file with this text */
function fileWith(text: string): string {
  const file = join(temporaryFolder(), 'secret');
  writeFileSync(file, text);
  return file;
}

const problemsOf = (env: Record<string, string>) => {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    return String(error).split('\n  ').slice(1);
  }
};

describe('a secret in a file', () => {
  test.each(['secret', 'secret\n', 'secret\r\n'])('is read without its last newline: %j', (text) => {
    const config = loadConfig({ ...REQUIRED, GEMINI_API_KEY_FILE: fileWith(text) });
    expect(config.generators.gemini.apiKey).toBe('secret');
  });

  test('keeps its other white space', () => {
    const config = loadConfig({ ...REQUIRED, TEMPORAL_API_KEY_FILE: fileWith(' a b \n') });
    expect(config.temporal.apiKey).toBe(' a b ');
  });

  test.each(['secret\n\n', 'sec\nret', 'sec\u0000ret', 'secret\t', 'sec\u0085ret'])(
    'is a problem with a control character in it: %j, in a file or not',
    (text) => {
      const problem = 'has a line break or another control character in it';
      expect(problemsOf({ ...REQUIRED, FAL_KEY: text })).toEqual([`FAL_KEY: ${problem}`]);
      expect(problemsOf({ ...REQUIRED, FAL_KEY_FILE: fileWith(text) })).toEqual([
        `FAL_KEY_FILE: the file ${problem}`,
      ]);
    },
  );

  test('that stands in the place of its path is not printed', () => {
    const env = { ...REQUIRED, OPENAI_API_KEY_FILE: 'sk-proj-SECRET', TEMPORAL_TLS_CA_FILE: 'SECRET' };
    expect(problemsOf(env)).toEqual([
      'OPENAI_API_KEY_FILE: the file cannot be read (ENOENT)',
      'TEMPORAL_TLS_CA_FILE: the file cannot be read (ENOENT)',
    ]);
  });

  test('takes the place of a required variable, and is validated like it', () => {
    const { MONGODB_URL, ...rest } = REQUIRED;
    expect(loadConfig({ ...rest, MONGODB_URL_FILE: fileWith(`${MONGODB_URL}\n`) }).mongo.url).toBe(
      MONGODB_URL,
    );
    expect(problemsOf({ ...rest, MONGODB_URL_FILE: fileWith('postgres://me:secret@db') })).toEqual([
      'MONGODB_URL: must be a connection string that begins with mongodb:// or mongodb+srv://',
    ]);
  });

  test.each(SECRETS)('is possible for %s', (name) => {
    const problem = [`${name}_FILE: the file cannot be read (ENOENT)`];
    expect(problemsOf({ ...REQUIRED, [name]: '', [`${name}_FILE`]: '/nowhere' })).toEqual(
      name.startsWith('S3_')
        ? [...problem, 'S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY: must be set together']
        : problem,
    );
  });

  test('that cannot be read is not reported as missing as well', () => {
    const env = { ...REQUIRED, GENERATORS: 'bfl', MONGODB_URL: '' };
    const files = { MONGODB_URL_FILE: '/nowhere', BFL_API_KEY_FILE: '/nowhere' };
    expect(environmentProblems({ ...env, ...files })).toEqual([
      'MONGODB_URL_FILE: the file cannot be read (ENOENT)',
      'BFL_API_KEY_FILE: the file cannot be read (ENOENT)',
    ]);
  });

  test('is one problem among all: unreadable, empty, or set twice', () => {
    const env = {
      ...REQUIRED,
      LOG_LEVEL: 'loud',
      MONGODB_URL_FILE: fileWith(REQUIRED.MONGODB_URL),
      FAL_KEY_FILE: fileWith('\n'),
      BFL_API_KEY_FILE: '/nowhere',
    };
    expect(problemsOf(env)).toEqual([
      'LOG_LEVEL: must be one of fatal, error, warn, info, debug, trace, silent, not "loud"',
      'MONGODB_URL, MONGODB_URL_FILE: must not both be set',
      'BFL_API_KEY_FILE: the file cannot be read (ENOENT)',
      'FAL_KEY_FILE: the file is empty',
    ]);
  });
});
