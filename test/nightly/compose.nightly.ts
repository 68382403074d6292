import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import type { Job } from '../../lib/contract/schemas.ts';
import { environment } from '../../lib/process/config/config.ts';
import { createResources } from '../../lib/process/resources.ts';
import { file, services } from '../repo/compose-file.ts';
import { sampleImage } from '../setup/images.ts';
import { createProductionTree } from '../setup/production-tree.ts';
import { startOrder } from './compose/order.ts';
import { choosePlaces } from './compose/places.ts';
import { collectPrograms } from './compose/programs.ts';
import { type Recipe, runOnce, startServer } from './compose/start.ts';

/** Its page only shows what the others do. */
const NOT_RUN = ['temporal-ui'];

const folder = mkdtempSync(join(tmpdir(), 'compose-'));
const { signal } = new AbortController();
const opened = createResources();
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function prepare(): Promise<Recipe> {
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const context = { env: environment(), say, signal };
  const { bin, schema } = await collectPrograms(folder, context);
  const places = opened.use(await choosePlaces(folder, schema));
  mkdirSync(join(folder, 'image'));
  const app = await createProductionTree(join(folder, 'image'), signal);
  return { places, bin, app, variables: dotEnv(), context };
}

/** The `.env` that the head of the file asks for. */
function dotEnv(): Record<string, string> {
  const passwords = /#\s+(MONGO_PASSWORD[A-Z0-9_ ]+)\n/.exec(file)?.[1]?.trim().split(' ') ?? [];
  const secrets = passwords.map((name) => [name, randomBytes(24).toString('hex')]);
  return { ...Object.fromEntries(secrets), GENERATORS: 'preview' };
}

const once = (name: string) => /^(setup|mongo-init|temporal-(schema|namespace))$/.test(name);

async function operator(recipe: Recipe, ...args: string[]): Promise<Record<string, string>> {
  return JSON.parse(await runOnce('setup', recipe, ['node', 'dist/operator/main.js', ...args, '--json']));
}

test('docker-compose.yml, without containers, takes a job from the request to its result', async () => {
  const recipe = await prepare();
  const order = startOrder(services).filter((name) => !NOT_RUN.includes(name));
  for (const name of order) {
    recipe.context.say(`${name}: ${once(name) ? 'running' : 'starting'}`);
    if (once(name)) await runOnce(name, recipe);
    else opened.use(await startServer(name, recipe));
  }
  // `docker compose up` runs them again.
  for (const name of order.filter(once)) await runOnce(name, recipe);

  const { account_id = '' } = await operator(recipe, 'account', 'create', '--name', 'Client');
  const { api_key = '' } = await operator(recipe, 'key', 'create', '--account', account_id, '--name', 'Key');
  const job = await completed(`http://127.0.0.1:${recipe.places.ports.api}/api/v1/jobs`, api_key);
  expect(job.status).toBe('completed');
  const result = await fetch(job.result_urls[0] ?? '');
  expect([result.status, result.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  await result.arrayBuffer();
});

/** Creates a job and waits for its end. */
async function completed(url: string, apiKey: string): Promise<Job> {
  const headers = { 'X-Api-Key': apiKey, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ tool: 'image-enhancement', image_base64: await sampleImage() });
  const created = await fetch(url, { method: 'POST', headers, body });
  const { job_id } = (await created.json()) as Job;
  expect(created.status).toBe(201);
  return vi.waitFor(async () => {
    const job = (await (await fetch(`${url}/${job_id}`, { headers })).json()) as Job;
    expect(job.status).not.toBe('processing');
    return job;
  }, 60_000);
}
