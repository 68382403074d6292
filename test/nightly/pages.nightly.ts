import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../../dev/process/command.ts';
import { startFakeApi } from '../contract/fake-api.ts';

/** Fetched when asked for: a browser is too large for a development dependency. */
const PACKAGES = ['playwright-core@1.65.1', '@sparticuz/chromium@147.0.0', 'axe-core@4.14.1'];
const FOLDER = join(homedir(), '.cache', 'image-job-api', 'browser');

const PATHS = [
  '',
  '/quickstart',
  '/tools',
  '/idempotency',
  '/polling',
  '/webhooks',
  '/errors',
  '/limits',
  '/changelog',
];
const VIEWS = [
  { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
];

interface Request {
  url(): string;
  headers(): Record<string, string>;
}

interface Page {
  goto(url: string, options?: { waitUntil: 'networkidle' }): Promise<unknown>;
  on(event: 'request', listener: (request: Request) => void): void;
  evaluate<T>(script: string): Promise<T>;
  click(selector: string): Promise<void>;
  fill(selector: string, text: string): Promise<void>;
  waitForSelector(selector: string): Promise<unknown>;
  waitForResponse(
    matches: (response: { url(): string }) => boolean,
  ): Promise<{ status(): number; request(): Request }>;
  close(): Promise<void>;
}

interface Browser {
  newPage(options: object): Promise<Page>;
  close(): Promise<void>;
}

let api: Awaited<ReturnType<typeof startFakeApi>>;
let origin: string;
let browser: Browser;
let axe: string;

beforeAll(async () => {
  mkdirSync(FOLDER, { recursive: true });
  const { signal } = new AbortController();
  const install = ['install', '--prefix', FOLDER, '--ignore-scripts', '--no-audit', ...PACKAGES];
  await runCommand('npm', install, { cwd: FOLDER, signal });
  api = await startFakeApi(readFileSync('docs/sample-room.jpg'));
  origin = await api.app.listen({ host: '127.0.0.1', port: 0 });
  browser = await launch();
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await api?.[Symbol.asyncDispose]();
});

async function launch(): Promise<Browser> {
  const { resolve } = createRequire(join(FOLDER, 'package.json'));
  axe = readFileSync(resolve('axe-core/axe.min.js'), 'utf8');
  const load = (name: string) => import(pathToFileURL(resolve(name)).href);
  const [{ chromium }, { default: bundled }] = await Promise.all(
    ['playwright-core', '@sparticuz/chromium'].map(load),
  );
  // In one process it does not survive that a page is closed.
  const args = bundled.args.filter((arg: string) => !['--single-process', '--no-zygote'].includes(arg));
  return chromium.launch({ executablePath: await bundled.executablePath(), args });
}

/** Opens a page and collects the requests to other hosts. */
async function open(path: string, view: object): Promise<{ page: Page; foreign: string[] }> {
  const page = await browser.newPage(view);
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) foreign.push(request.url());
  });
  await page.goto(`${origin}/api/docs${path}`, { waitUntil: 'networkidle' });
  return { page, foreign };
}

async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(`${axe}; undefined`);
  return page.evaluate(
    "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))",
  );
}

const overflowOf = (page: Page) =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');

describe.each(VIEWS)('at $viewport.width pixels, $colorScheme', (view) => {
  test.each(PATHS)('/docs%s is accessible, fits and loads nothing from other hosts', async (path) => {
    const { page, foreign } = await open(path, view);
    expect(await violationsOf(page)).toEqual([]);
    expect([await overflowOf(page), foreign]).toEqual([0, []]);
    await page.close();
  });

  test('the reference sends the sample photo, without an Idempotency-Key', async () => {
    const { page, foreign } = await open('', view);
    await page.fill('#key', api.headers['x-api-key']);
    await page.click('#createJob .try button');
    await page.waitForSelector('#createJob .execute');
    const [response] = await Promise.all([
      page.waitForResponse((sent) => sent.url().endsWith('/v1/jobs')),
      page.click('#createJob .execute'),
    ]);
    expect(response.status()).toBe(201);
    expect(response.request().headers()).not.toHaveProperty('idempotency-key');
    await page.waitForSelector('#createJob .live-responses-table .response');
    expect(await violationsOf(page)).toEqual([]);
    expect([await overflowOf(page), foreign]).toEqual([0, []]);
    await page.close();
  });
});
