import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { serveTcp } from '../lib/egress/servers.ts';
import { closers } from './closers.ts';
import { checkAfterFile, leaksOfFile, watchHandles } from './leaks.ts';

/** What the check says while something leaks, and after it was closed. */
async function leaksOf(open: () => Promise<() => unknown>): Promise<[during: string[], after: string[]]> {
  onTestFinished(checkAfterFile(watchHandles()));
  const close = await open();
  const during = await leaksOfFile(0);
  await close();
  return [during, await leaksOfFile()];
}

test('names a server and the connections to it', async () => {
  const [during, after] = await leaksOf(async () => {
    const server = await serveTcp(() => {});
    await once(connect(server.port, '127.0.0.1'), 'connect');
    return () => server[Symbol.asyncDispose]();
  });
  expect(during).toEqual(expect.arrayContaining(['1 × server', '2 × connection']));
  expect(after).toEqual([]);
});

test('names a timer', async () => {
  const [during, after] = await leaksOf(async () => {
    const timer = setInterval(() => {}, 60_000);
    return () => clearInterval(timer);
  });
  expect(during).toContain('1 × timer');
  expect(after).toEqual([]);
});

test('names a child process with its command', async () => {
  const [during, after] = await leaksOf(async () => {
    const child = spawn('sleep', ['60']);
    await once(child, 'spawn');
    return () => child.kill();
  });
  expect(during.join()).toMatch(/1 × child process \(\d+: sleep 60\)/);
  expect(after).toEqual([]);
});

test('names parts that were not closed', async () => {
  const [during, after] = await leaksOf(async () => {
    const open = closers();
    open.defer(async () => {});
    return () => open.close();
  });
  expect(during).toContain('1 × part of closers()');
  expect(after).toEqual([]);
});

test('ignores a timer that does not keep the process running', async () => {
  onTestFinished(checkAfterFile(watchHandles()));
  const timer = setInterval(() => {}, 60_000).unref();
  onTestFinished(() => clearInterval(timer));
  expect(await leaksOfFile()).toEqual([]);
});
