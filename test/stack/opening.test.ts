import { expect, test } from 'vitest';
import { duration, withProgress } from '../../stack/obtain/progress.ts';
import { allStarted, opening } from '../../stack/run/opening.ts';

function resource(name: string, closed: string[]): AsyncDisposable {
  return { [Symbol.asyncDispose]: async () => void closed.push(name) };
}

test('what was opened is closed last first, once', async () => {
  const closed: string[] = [];
  const opened = await opening(async (keep) => {
    keep(resource('servers', closed));
    keep({ [Symbol.dispose]: () => void closed.push('file') });
    return { name: 'stack' };
  });
  expect(opened.name).toBe('stack');
  expect(closed).toEqual([]);
  await opened[Symbol.asyncDispose]();
  await opened[Symbol.asyncDispose]();
  expect(closed).toEqual(['file', 'servers']);
});

test('a failure half-way closes what was opened before it', async () => {
  const closed: string[] = [];
  const failing = opening(async (keep) => {
    keep(resource('servers', closed));
    throw new Error('the API did not start');
  });
  await expect(failing).rejects.toThrow('the API did not start');
  expect(closed).toEqual(['servers']);
});

test('a failed start is reported once the others have started as well', async () => {
  let started = false;
  const slow = new Promise<void>((resolve) =>
    setImmediate(() => {
      started = true;
      resolve();
    }),
  );
  await expect(allStarted([Promise.reject(new Error('no port')), slow])).rejects.toThrow('no port');
  expect(started).toBe(true);
});

test('steps are said as they begin, ages in words', async () => {
  const said: string[] = [];
  const result = await withProgress(
    'temporal',
    (line) => said.push(line),
    async (report) => {
      report('building from source');
      return 'path';
    },
  );
  expect(result).toBe('path');
  expect(said).toEqual(['temporal: building from source']);
  expect(duration(8_400)).toBe('8 s');
  expect(duration(130_000)).toBe('2 min 10 s');
});
