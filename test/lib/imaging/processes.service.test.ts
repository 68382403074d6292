import { fork } from 'node:child_process';
import { once } from 'node:events';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ImageError, ImageProcessEnded } from '../../../lib/imaging/errors.ts';
import { readUsage, threadsOf } from '../../../lib/imaging/processes/usage.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { openOddPool, unhurried } from './odd-pool.ts';

type Pool = Awaited<ReturnType<typeof openOddPool>>;
let pool: Pool;

beforeAll(async () => {
  pool = await openOddPool();
});
afterAll(() => pool?.[Symbol.asyncDispose]());

const pidOf = (target: Pool) => target.run('pid', undefined, unhurried());

async function reasonOf(work: Promise<unknown>): Promise<unknown> {
  const error: unknown = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  return error instanceof ImageProcessEnded ? error.reason : error;
}

describe('an image process', () => {
  test('receives and returns bytes', async () => {
    const bytes = Buffer.alloc(5_000_000, 'abc');
    const reversed = await pool.run('reverse', { bytes }, unhurried());
    expect(Buffer.isBuffer(reversed)).toBe(true);
    expect(reversed.equals(Buffer.from(bytes).reverse())).toBe(true);
  });

  test('reports an image error with the message for the client, and the details in the cause', async () => {
    const error: unknown = await pool.run('refuse', undefined, unhurried()).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ImageError);
    expect(error).toMatchObject({ message: 'The image is damaged.' });
    expect(String((error as ImageError).cause)).toContain('premature end');
  });

  test('reports a bug as another error than an image error, and continues', async () => {
    const before = await pidOf(pool);
    const error: unknown = await pool
      .run('throwBug', undefined, unhurried())
      .catch((cause: unknown) => cause);
    expect(error).not.toBeInstanceOf(ImageError);
    expect(String(error)).toContain('a bug in a task');
    expect(await pidOf(pool)).toBe(before);
  });

  test('does not inherit the environment of its parent', async () => {
    const names = await pool.run('environment', undefined, unhurried());
    expect(names).toContain('MALLOC_ARENA_MAX');
    expect(names.filter((name) => /^(MONGO|S3|TEMPORAL|PATH|HOME|VITEST)/.test(name))).toEqual([]);
  });

  test('is killed when it takes too much processor time, without blocking its parent', async () => {
    let ticks = 0;
    const ticking = setInterval(() => {
      ticks += 1;
    }, 1);
    const ended = reasonOf(pool.run('spin', undefined, unhurried({}, { cpuMs: 300 })));
    expect(await ended).toBe('time');
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(20);
  });

  test('is killed when it makes no progress', async () => {
    expect(await reasonOf(pool.run('hang', undefined, unhurried({}, { stallMs: 200 })))).toBe('time');
  });

  test.runIf(readUsage(process.pid))('is killed when it takes too much memory', async () => {
    expect(await reasonOf(pool.run('hoard', undefined, unhurried({}, { rssBytes: 300e6 })))).toBe('memory');
  });

  test('runs at the lowest priority with all of its threads', async () => {
    const threads = threadsOf(await pidOf(pool));
    expect(threads.length).toBeGreaterThan(0);
    expect(new Set(threads.map((thread) => getPriority(thread)))).toEqual(new Set([19]));
  });

  test('reports a crash', async () => {
    expect(await reasonOf(pool.run('crash', undefined, unhurried()))).toBe('crash');
  });

  test.each([
    ['SIGTERM', 'stopped'],
    ['SIGINT', 'stopped'],
    ['SIGKILL', 'killed'],
  ] as const)('ended by %s from outside reports %s, not a crash', async (signal, reason) => {
    const pid = await pidOf(pool);
    const hanging = reasonOf(pool.run('hang', undefined, unhurried()));
    await setImmediate();
    process.kill(pid, signal);
    expect(await hanging).toBe(reason);
  });

  test('is killed when the task is aborted', async () => {
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const before = await pidOf(pool);
    const spinning = pool.run('spin', undefined, unhurried({ signal: controller.signal }));
    // Until the task has been sent.
    await setImmediate();
    controller.abort(reason);
    await expect(spinning).rejects.toBe(reason);
    await vi.waitFor(async () => expect(() => process.kill(before, 0)).toThrow(), 60_000);
  });

  test('is replaced after it has ended', async () => {
    await reasonOf(pool.run('crash', undefined, unhurried()));
    expect(await pool.run('reverse', { bytes: Buffer.from('ab') }, unhurried())).toEqual(Buffer.from('ba'));
  });

  test('ends with its parent, even in the middle of a task', async () => {
    const program = join(import.meta.dirname, 'programs', 'pool-owner.ts');
    const owner = fork(program, { execArgv: ['--import', 'tsx'] });
    const [pid] = await once(owner, 'message');
    const before = readUsage(Number(pid))?.cpuMs ?? 0;
    // Without /proc the load cannot be observed, and the parent is killed at once.
    await vi.waitFor(
      async () => expect(readUsage(Number(pid))?.cpuMs ?? Infinity).toBeGreaterThan(before + 200),
      60_000,
    );
    owner.kill('SIGKILL');
    await vi.waitFor(async () => expect(() => process.kill(Number(pid), 0)).toThrow(), 60_000);
  });
});

describe('the pool', () => {
  const spans = (target: Pool, estimates: readonly number[]) =>
    Promise.all(
      estimates.map((estimatedBytes) => target.run('span', undefined, unhurried({ estimatedBytes }))),
    );
  const overlap = ([a, b]: readonly { from: number; to: number }[]) =>
    a !== undefined && b !== undefined && a.from < b.to && b.from < a.to;

  test('runs small images concurrently', async () => {
    const folder = temporaryFolder();
    const meet = () => pool.run('meet', { folder }, unhurried({ estimatedBytes: 400 }));
    expect(await Promise.all([meet(), meet()])).toEqual([true, true]);
  });

  test('queues large images, so that their memory does not add up', async () => {
    expect(overlap(await spans(pool, [600, 600]))).toBe(false);
  });

  test('runs an image estimated above the total, alone', async () => {
    expect(overlap(await spans(pool, [5000, 1]))).toBe(false);
  });

  test('releases the place of an aborted task in the queue', async () => {
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const first = pool.run('span', undefined, unhurried({ estimatedBytes: 1000 }));
    const second = pool.run(
      'span',
      undefined,
      unhurried({ estimatedBytes: 1000, signal: controller.signal }),
    );
    controller.abort(reason);
    await expect(second).rejects.toBe(reason);
    await first;
    await pool.run('span', undefined, unhurried({ estimatedBytes: 1000 }));
  });

  test('tells when a process has taken an image, not when the image begins to wait', async () => {
    const started: number[] = [];
    const ended: number[] = [];
    const run = async (n: number) => {
      const onStart = () => started.push(n);
      await pool.run('span', undefined, unhurried({ estimatedBytes: 1000, onStart }));
      ended.push(n);
    };
    const first = run(1);
    const second = run(2);
    await first;
    expect([started, ended]).toEqual([[1], [1]]);
    await second;
    expect(started).toEqual([1, 2]);
  });

  test('does not open when no process starts', async () => {
    const entry = { file: join(import.meta.dirname, 'no-such-program.ts'), execArgv: [], cwd: '/' };
    await expect(openOddPool({ entry })).rejects.toThrow(/did not start.*no-such-program/s);
  });
});
