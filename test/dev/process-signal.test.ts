import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { signalGroup } from '../../dev/process/pid-file.ts';
import { identify } from '../../dev/process/process-identity.ts';

const program = join(import.meta.dirname, 'programs', 'await-signal.ts');

/** Starts the program as a child of a shell, both in a process group of their own and without a terminal. */
function startBelowShell() {
  const command = ['-c', '"$@"; exit', 'sh', process.execPath, '--import', 'tsx', program];
  const parent = spawn('sh', command, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => signalGroup(groupOf(parent), 'SIGKILL'));
  const lines: string[] = [];
  parent.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(...text.trim().split('\n')));
  const moreLines = (count: number) => {
    const before = lines.length;
    return vi.waitUntil(() => lines.length >= before + count, { timeout: 20_000 });
  };
  return { parent, lines, moreLines };
}

const groupOf = ({ pid = 0 }: ChildProcess) => pid;

test('a process is stopped when its parent is killed', async () => {
  const { parent, lines, moreLines } = startBelowShell();
  await moreLines(1);
  parent.kill('SIGKILL');
  await vi.waitUntil(() => lines.at(-1) === 'its parent has ended', { timeout: 20_000 });
});

test('a hang-up without a terminal, as under nohup, ends the parent but not the process', async () => {
  const { parent, lines, moreLines } = startBelowShell();
  await moreLines(1);
  const pid = Number(lines[0]);
  signalGroup(groupOf(parent), 'SIGHUP');
  await expect.poll(() => parent.signalCode).toBe('SIGHUP');
  await moreLines(15);
  expect(identify(pid)).toBeDefined();
  process.kill(pid, 'SIGTERM');
  await vi.waitUntil(() => lines.at(-1) === 'stopped by SIGTERM', { timeout: 20_000 });
});
