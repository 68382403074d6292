import { expect, test, vi } from 'vitest';
import { createReadiness, statusOf } from '../../../lib/process/readiness.ts';

const refused = () => Promise.reject(new Error('ECONNREFUSED'));
const works = async () => {};

test('a process is ready when every dependency responds', async () => {
  const report = await createReadiness({ mongodb: works, s3: works, temporal: works }).report();
  expect(report).toEqual({ status: 'ready', dependencies: { mongodb: 'ok', s3: 'ok', temporal: 'ok' } });
  expect(statusOf(report)).toBe(200);
});

test('a report names each dependency that is away', async () => {
  const report = await createReadiness({ mongodb: works, s3: refused, temporal: refused }).report();
  expect(report).toEqual({ status: 'away', dependencies: { mongodb: 'ok', s3: 'away', temporal: 'away' } });
  expect(statusOf(report)).toBe(503);
});

test('one that does not respond in time is away, and is not asked again until it has', async () => {
  vi.useFakeTimers();
  const hanging = withResolvers();
  const check = vi.fn(() => hanging.promise);
  const readiness = createReadiness({ mongodb: works, temporal: check });
  try {
    for (let n = 0; n < 3; n += 1) {
      const report = readiness.report();
      await vi.advanceTimersByTimeAsync(2000);
      expect((await report).dependencies).toEqual({ mongodb: 'ok', temporal: 'away' });
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(check).toHaveBeenCalledTimes(1);
    hanging.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect((await readiness.report()).status).toBe('ready');
    expect(check).toHaveBeenCalledTimes(2);
  } finally {
    vi.useRealTimers();
  }
});

test('however many ask, a dependency is checked once at a time, and once a second', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const check = vi.fn(works);
  const { report } = createReadiness({ s3: check });
  try {
    await Promise.all(Array.from({ length: 500 }, report));
    vi.advanceTimersByTime(900);
    await Promise.all(Array.from({ length: 500 }, report));
    expect(check).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(200);
    await Promise.all(Array.from({ length: 500 }, report));
    expect(check).toHaveBeenCalledTimes(2);
  } finally {
    vi.useRealTimers();
  }
});

test('a process that drains says so, with the state of its dependencies', async () => {
  const readiness = createReadiness({ mongodb: works, s3: refused });
  readiness.drain();
  const report = await readiness.report();
  expect(report).toEqual({ status: 'draining', dependencies: { mongodb: 'ok', s3: 'away' } });
  expect(statusOf(report)).toBe(503);
});

test('each change is reported once, with its cause', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const changes: [string, unknown][] = [];
  let check: () => Promise<unknown> = works;
  const onChange = (name: string, problem: unknown) => void changes.push([name, problem]);
  const { report } = createReadiness({ s3: () => check() }, onChange);
  const next = async (state: typeof check) => {
    check = state;
    vi.advanceTimersByTime(1001);
    await report();
  };
  try {
    for (const each of [works, refused, refused, works, works]) await next(each);
    expect(changes).toEqual([
      ['s3', new Error('ECONNREFUSED')],
      ['s3', undefined],
    ]);
  } finally {
    vi.useRealTimers();
  }
});

function withResolvers() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
