import { readFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { run } from '../../../packages/mcp/src/run.ts';
import { USAGE } from '../../../packages/mcp/src/usage.ts';

const ENV = { IMAGE_JOB_API_KEY: 'ij_secret', IMAGE_JOB_BASE_URL: 'https://api.example.com/api' };

async function started(args: string[], env: Record<string, string>, signal = AbortSignal.abort()) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end();
  const code = await run(args, { env, stdin, stdout, stderr, signal });
  stdout.end();
  stderr.end();
  return { code, stdout: await text(stdout), stderr: await text(stderr) };
}

test.each<[string, string[], Record<string, string>, RegExp]>([
  ['no key and no URL', [], {}, /IMAGE_JOB_API_KEY is missing.*\n.*IMAGE_JOB_BASE_URL is missing/],
  ['a URL that is none', [], { ...ENV, IMAGE_JOB_BASE_URL: 'api' }, /baseUrl must be an http or https URL/],
  ['a relative folder', [], { ...ENV, IMAGE_JOB_DIRS: 'photos' }, /photos must be an absolute path/],
  [
    'an origin with a path',
    [],
    { ...ENV, IMAGE_JOB_MCP_ORIGINS: 'https://a.example/b' },
    /must be an origin/,
  ],
  [
    'an origin of photos without a scheme',
    [],
    { ...ENV, IMAGE_JOB_IMAGE_ORIGINS: 'photos.example' },
    /IMAGE_JOB_IMAGE_ORIGINS: photos\.example must be an origin/,
  ],
  ['an unknown option', ['--port', '1'], ENV, /--port/],
  ['a port that is none', ['--http', '70000'], ENV, /--http must be a port/],
])('%s ends the process with 2, and nothing on stdout', async (_what, args, env, message) => {
  const { code, stdout, stderr } = await started(args, env);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(message);
  expect(stderr).not.toContain('ij_secret');
});

test('help and version need no key', async () => {
  expect(await started(['--help'], {})).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage:') });
  expect(await started(['--version'], {})).toMatchObject({ code: 0, stdout: '0.1.0\n' });
});

test('it ends when the client has gone, and at a signal', async () => {
  expect(await started([], ENV, new AbortController().signal)).toMatchObject({ code: 0, stderr: '' });
  const http = await started(['--http', '0'], ENV);
  expect(http.code).toBe(0);
  expect(http.stderr).toMatch(/^Listening on http:\/\/127\.0\.0\.1:\d+\/mcp\n$/);
});

test('the README has the variables of the help', async () => {
  const readme = await readFile('packages/mcp/README.md', 'utf8');
  const variables = (text: string) => [...new Set(text.match(/IMAGE_JOB_[A-Z_]+/g))].sort();
  expect(variables(readme)).toEqual(variables(USAGE));
});
