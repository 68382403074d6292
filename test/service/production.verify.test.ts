import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import '../setup/context.ts';
import { runCommand } from '../../dev/process/command.ts';
import type { Job } from '../../lib/contract/schemas.ts';
import { startCollector } from '../setup/collector.ts';
import { sampleImage } from '../setup/images.ts';
import { ownBuckets } from '../setup/own-config.ts';
import { printed } from '../setup/printed.ts';
import { createProductionTree } from '../setup/production-tree.ts';

const folder = mkdtempSync(join(tmpdir(), 'production-'));
const { signal } = new AbortController();
let app: string;
/** All of the environment: nothing of this process's own is inherited, not even PATH. */
let env: Record<string, string>;

beforeAll(async () => {
  app = await createProductionTree(folder, signal);
  env = {
    ...inject('env'),
    NODE_ENV: 'production',
    MONGODB_DATABASE: 'test_production',
    ...ownBuckets('production'),
    TASK_QUEUE_PREFIX: 'production-',
    API_PORT: '0',
    LOG_LEVEL: 'info',
    WORKFLOW_BUNDLE: join(app, 'dist/workflow-bundle.cjs'),
  };
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(file: string, settings: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, [file], { cwd: app, env: { ...env, ...settings } });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function operator(...args: string[]): Promise<Record<string, string>> {
  const output = await runCommand(process.execPath, ['dist/operator/main.js', ...args, '--json'], {
    cwd: app,
    env,
    signal,
  });
  return JSON.parse(output);
}

async function createKey(): Promise<string> {
  const { account_id = '' } = await operator('account', 'create', '--name', 'Client');
  const { api_key = '' } = await operator('key', 'create', '--account', account_id, '--name', 'Key');
  return api_key;
}

describe('the build, with only the packages that production installs,', () => {
  test.each([
    ['without traces', false],
    ['with traces', true],
  ])('takes a job from the request to its result, %s', { timeout: 60_000 }, async (_, traced) => {
    await using collector = await startCollector();
    const settings = traced ? collector.env : {};
    await operator('setup');
    const api = start('dist/api/main.js', settings);
    const worker = start('dist/worker/main.js', settings);
    const renderer = start('dist/worker/renderer.js', settings);
    const [address, apiKey] = await Promise.all([
      printed(api, /http:[^"]+/),
      createKey(),
      printed(worker, /The worker is ready/),
      printed(renderer, /The renderer is ready/),
    ]);
    const headers = { 'X-Api-Key': apiKey, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ tool: 'image-enhancement', image_base64: await sampleImage() });
    const created = await fetch(`${address}/api/v1/jobs`, { method: 'POST', headers, body });
    expect(created.status).toBe(201);
    const { job_id } = (await created.json()) as Job;
    const job = await vi.waitFor(async () => {
      const read = (await (await fetch(`${address}/api/v1/jobs/${job_id}`, { headers })).json()) as Job;
      expect(read.status).not.toBe('processing');
      return read;
    }, 60_000);
    expect(job.status).toBe('completed');
    expect(await statusOf(job.result_urls[0] ?? '')).toBe(200);
    for (const child of [api, worker, renderer]) child.kill('SIGTERM');
    const exits = await Promise.all([api, worker, renderer].map((child) => once(child, 'exit')));
    expect(exits).toEqual([
      [0, null],
      [0, null],
      [0, null],
    ]);
    const spans = collector.spans.filter(({ attributes }) => attributes['imagejob.job_id'] === job_id);
    const ofJob = spans.filter(({ name }) => !name.startsWith('GET'));
    expect(new Set(ofJob.map(({ service }) => service)).size).toBe(traced ? 3 : 0);
    expect(new Set(ofJob.map(({ traceId }) => traceId)).size).toBe(traced ? 1 : 0);
  });

  test('serves the reference page with everything it loads', async () => {
    const api = start('dist/api/main.js');
    const address = await printed(api, /http:[^"]+/);
    const page = await (await fetch(`${address}/api/docs`)).text();
    const loaded = [...page.matchAll(/<(?:link|script)[^>]* (?:href|src)="([^"]+)"/g)].map(
      ([, path]) => path,
    );
    expect(loaded.length).toBeGreaterThan(3);
    for (const path of loaded) expect(await statusOf(new URL(path ?? '', address)), path).toBe(200);
  });

  test('says that LOG_PRETTY needs a development dependency', async () => {
    const api = start('dist/api/main.js', { LOG_PRETTY: 'true' });
    let output = '';
    api.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    const [code] = await once(api, 'close');
    expect(code).not.toBe(0);
    expect(output).toContain('LOG_PRETTY: the package pino-pretty is not installed');
  });
});

/** Reads the body, because a connection with an unread one stays open. */
async function statusOf(url: string | URL): Promise<number> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.status;
}
