import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetch } from 'undici';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isAlive, type ProcessIdentity } from '../../dev/process/process-identity.ts';
import type { StackFile } from '../../dev/stack/stack.ts';
import { environment } from '../../lib/process/config/config.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { familyOf } from './processes.ts';

const root = join(import.meta.dirname, '..', '..');
const unset = ['MONGODB_URL', 'TEMPORAL_ADDRESS', 'S3_ENDPOINT', 'PUBLIC_URL', 'API_PORT', 'PORT'];

/** A folder in which `npm start` starts the project, with its data in the folder. */
function projectFolder(): string {
  const folder = temporaryFolder();
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const start = scripts.start.replace('dev/stack/main.ts', join(root, 'dev/stack/main.ts'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, scripts: { start } }));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

function npmStart(extra: Record<string, string> = {}) {
  const folder = projectFolder();
  const empty = Object.fromEntries(unset.map((name) => [name, '']));
  const env = { ...environment(), ...empty, ...extra };
  const npm = spawn('npm', ['start'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const data = (...path: string[]) => join(folder, '.stack', ...path);
  const started = { npm, data, printed: '', family: [] as ProcessIdentity[] };
  onTestFinished(() => killAll(started));
  for (const stream of [npm.stdout, npm.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      started.printed += text;
    });
  return started;
}
type Started = ReturnType<typeof npmStart>;

function killAll({ npm, family }: Started): void {
  for (const member of [...family, ...familyOf(npm.pid ?? 0)])
    if (isAlive(member)) process.kill(member.pid, 'SIGKILL');
}

/** Waits until the stack is ready and returns its stack file. */
async function ready(started: Started): Promise<StackFile> {
  const { npm, data } = started;
  const file = data('stack.json');
  await vi.waitUntil(() => existsSync(file) || npm.exitCode !== null, { timeout: 120_000 });
  if (!existsSync(file)) throw new Error(`npm start ended with ${npm.exitCode}: ${started.printed}`);
  return JSON.parse(readFileSync(file, 'utf8'));
}

async function acceptsDemoKey({ api_base, demo_api_key }: StackFile): Promise<boolean> {
  return (await fetch(`${api_base}/v1/account`, { headers: { 'X-Api-Key': demo_api_key } })).ok;
}

/** Sends a signal to npm only; resolves when npm and all of its descendants have ended. */
async function signalNpm(signal: NodeJS.Signals, started: Started): Promise<string[]> {
  const { pid = 0 } = started.npm;
  started.family = familyOf(pid);
  const commands = started.family.map((member) => readFileSync(`/proc/${member.pid}/cmdline`, 'utf8'));
  process.kill(pid, signal);
  await vi.waitUntil(() => !started.family.some(isAlive), { timeout: 60_000, interval: 200 });
  await vi.waitUntil(() => started.npm.exitCode !== null || started.npm.signalCode !== null);
  return commands;
}

/** No process was killed: there are no pid files and no owner, and mongod has emptied its lock file. */
function expectCleanStop({ data }: Started): void {
  expect(existsSync(data('stack.json'))).toBe(false);
  expect(existsSync(data('owner.lock'))).toBe(false);
  expect(readdirSync(data('pids'))).toEqual([]);
  expect(statSync(data('mongod', 'mongod.lock')).size).toBe(0);
}

// Reads /proc.
test.runIf(process.platform === 'linux')(
  'two concurrent npm starts use different ports, and a signal to npm alone, even SIGKILL, stops all of it',
  { timeout: 240_000 },
  async () => {
    const first = npmStart({ EGRESS_ALLOW_ORIGINS: 'http://127.0.0.1:9000' });
    const second = npmStart();
    const stacks = await Promise.all([ready(first), ready(second)]);
    expect(new Set(stacks.map(({ api_base }) => api_base)).size).toBe(2);
    expect(await Promise.all(stacks.map(acceptsDemoKey))).toEqual([true, true]);
    await expect.poll(() => first.printed).toContain('Demo key');
    expect(first.printed).toContain('Warning: EGRESS_ALLOW_ORIGINS');
    await expect.poll(() => second.printed).toContain('Demo key');
    const moved = [first, second].filter(({ printed }) => printed.includes('Warning: Port 8080 is in use'));
    expect(moved.length).toBeGreaterThan(0);

    const commands = (await signalNpm('SIGTERM', first)).join('\n');
    for (const name of [
      'mongod',
      'temporal',
      'versitygw',
      'api/main',
      'worker/main',
      'renderer',
      'image-process',
    ])
      expect(commands).toContain(name);
    expect(first.npm.exitCode).toBe(0);
    expectCleanStop(first);

    // Its output has no reader any more either.
    second.npm.stdout.destroy();
    await signalNpm('SIGKILL', second);
    expectCleanStop(second);
  },
);
