import { expect, test } from 'vitest';
import { duration, withProgress } from '../../dev/obtain/progress.ts';
import { allStarted } from '../../dev/process/all-started.ts';
import { withResources } from '../../lib/process/resources.ts';

function resource(name: string, closed: string[]): AsyncDisposable {
  return { [Symbol.asyncDispose]: async () => void closed.push(name) };
}

test('resources are closed once, in reverse order', async () => {
  const closed: string[] = [];
  const opened = await withResources(async (keep) => {
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

test('a failure closes the resources opened before it', async () => {
  const closed: string[] = [];
  const failing = withResources(async (keep) => {
    keep(resource('servers', closed));
    throw new Error('the API did not start');
  });
  await expect(failing).rejects.toThrow('the API did not start');
  expect(closed).toEqual(['servers']);
});

test('every resource is closed even when closing one of them fails', async () => {
  const closed: string[] = [];
  const opening = (fails: boolean) =>
    withResources(async (keep, defer) => {
      keep(resource('servers', closed));
      defer(() => Promise.reject(new Error('the API did not stop')));
      if (fails) throw new Error('the API did not start');
      return {};
    });
  const opened = await opening(false);
  await expect(opened[Symbol.asyncDispose]()).rejects.toThrow('the API did not stop');
  await expect(opening(true)).rejects.toThrow('the API did not start');
  expect(closed).toEqual(['servers', 'servers']);
});

test('a failed start is reported after the others have started', async () => {
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

test('steps are printed when they start, durations in minutes and seconds', async () => {
  const lines: string[] = [];
  const result = await withProgress(
    'temporal',
    (line) => lines.push(line),
    async (report) => {
      report('building from source');
      return 'path';
    },
  );
  expect(result).toBe('path');
  expect(lines).toEqual(['temporal: building from source']);
  expect(duration(8_400)).toBe('8 s');
  expect(duration(130_000)).toBe('2 min 10 s');
});
