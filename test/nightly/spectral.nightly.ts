import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startService } from '../setup/service.ts';

/** Fetched when asked for: its 200 packages are too many for a development dependency. */
const SPECTRAL = '@stoplight/spectral-cli@6.16.3';

test('the OpenAPI document is clean under the recommended rules of Spectral', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'spectral-'));
  const service = await startService();
  const file = join(folder, 'openapi.json');
  await writeFile(file, (await service.app.inject({ url: '/api/openapi.json' })).body);
  const lint = ['spectral', 'lint', '--ruleset', '.spectral.yaml', '--fail-severity', 'hint', file];
  const child = spawn('npx', ['--yes', '--ignore-scripts', '-p', SPECTRAL, ...lint], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  await service[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
  expect(code).toBe(0);
});
