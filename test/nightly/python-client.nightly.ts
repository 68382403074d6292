import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../../dev/process/command.ts';
import { startFakeApi } from '../contract/fake-api.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

/** Its formatter is not installed, and nobody reads what it would format. */
const CONFIG = JSON.stringify({ post_hooks: [] });

test('the client that openapi-python-client generates takes an image in either way and reads jobs and errors', async ({
  signal,
}) => {
  const folder = temporaryFolder();
  const [document, config] = [join(folder, 'openapi.json'), join(folder, 'config.json')];
  await using api = await startFakeApi(Buffer.alloc(0));
  await writeFile(document, (await api.app.inject({ url: '/api/openapi.json' })).body);
  await writeFile(config, CONFIG);
  const paths = ['--path', document, '--output-path', join(folder, 'client'), '--config', config];
  const options = ['--meta', 'none', '--fail-on-warning'];
  await runCommand('openapi-python-client', ['generate', ...paths, ...options], { signal });
  const script = join(import.meta.dirname, 'python-client.py');
  expect(await runCommand('python3', [script, folder, document], { signal })).toBe('');
});
