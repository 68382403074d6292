import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fetch } from 'undici';
import { expect, onTestFailed, test, vi } from 'vitest';
import { FolderInUseError } from '../../dev/process/data-folder.ts';
import { rememberedPorts } from '../../dev/process/tcp-ports.ts';
import { banner } from '../../dev/stack/banner.ts';
import { startStack } from '../../dev/stack/stack.ts';
import { environment, loadConfig } from '../../lib/process/config/config.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const { signal } = new AbortController();

/** A port for the API: another stack may take the default one between two starts. */
async function freePort(): Promise<string> {
  using ports = rememberedPorts(join(temporaryFolder(), 'ports.json'));
  return String(await ports.choose('api'));
}

function start(dataDir: string, API_PORT: string, messages: string[] = []) {
  const noServers = { MONGODB_URL: '', TEMPORAL_ADDRESS: '', S3_ENDPOINT: '', PUBLIC_URL: '' };
  // What is meant for one of several workers must not keep the only one from the queue of jobs.
  const env = { ...environment(), ...noServers, API_PORT, WORKER_QUEUES: 'webhooks' };
  return startStack({ dataDir, env, say: (line) => messages.push(line), signal });
}

async function account(base: string, key: string) {
  const response = await fetch(`${base}/v1/account`, { headers: { 'X-Api-Key': key } });
  return { status: response.status, body: await response.json() };
}

test('the stack starts, writes its stack file, restarts killed processes and keeps its data', {
  timeout: 120_000,
}, async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const file = join(dataDir, 'stack.json');
  const messages: string[] = [];
  const port = await freePort();
  const first = await start(dataDir, port, messages);
  onTestFailed(() => first[Symbol.asyncDispose]());
  const { api_base: base, demo_api_key: key } = first.described;
  expect(await account(base, key)).toMatchObject({ status: 200, body: { name: 'Demo', image_credits: 50 } });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(first.described);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(loadConfig(first.described.env).api.publicUrl).toBe(base);
  expect(banner(first)).toContain(`-H 'X-Api-Key: ${key}'`);
  for (const url of Object.values(first.described.metrics))
    expect(await (await fetch(url)).text()).toContain('imagejob_dependency_up{dependency="mongodb"} 1');
  await expect(start(dataDir, port)).rejects.toThrow(FolderInUseError);

  first.processes.api?.kill('SIGKILL');
  first.processes.renderer?.kill('SIGKILL');
  await vi.waitUntil(() => ['api is back', 'renderer is back'].every((line) => messages.includes(line)), {
    timeout: 60_000,
  });
  expect((await account(base, key)).status).toBe(200);
  await first[Symbol.asyncDispose]();
  expect(existsSync(file)).toBe(false);

  await using second = await start(dataDir, port);
  expect(second.described).toEqual(first.described);
  expect((await account(base, key)).status).toBe(200);
});
