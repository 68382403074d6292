import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { webhookPolicy } from '../../activities/webhooks/policy.ts';
import { CHANGES } from '../../api/docs/changelog.ts';
import { html, prose } from '../../api/docs/pages/html.ts';
import { describeCatalog, describeCommonOptions } from '../../lib/catalog/describe.ts';
import { ERRORS } from '../../lib/contract/errors.ts';
import { LIMITS, RATE_LIMITS } from '../../lib/contract/limits.ts';
import type { ErrorEnvelope } from '../../lib/contract/schemas.ts';
import { startFakeApi } from '../contract/fake-api.ts';

const PAGES = [
  '/api/docs',
  '/api/docs/tools',
  '/api/docs/errors',
  '/api/docs/limits',
  '/api/docs/webhooks',
  '/api/docs/changelog',
];

let api: Awaited<ReturnType<typeof startFakeApi>>;

beforeAll(async () => {
  api = await startFakeApi();
});
afterAll(() => api?.[Symbol.asyncDispose]());

const read = (url: string) => api.app.inject({ url });
const idsOf = (markup: string) => [...markup.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
const linksOf = (markup: string) =>
  [...markup.matchAll(/\s(?:href|src|data-document)="([^"]+)"/g)].map(([, link = '']) => link);

describe('the pages', () => {
  test.each(PAGES)('%s needs no key and loads nothing from other hosts', async (url) => {
    const page = await read(url);
    expect(page.statusCode).toBe(200);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-content-type-options': 'nosniff',
    });
    expect(page.body).not.toMatch(/<style|\sstyle="|\son[a-z]+="|<script(?! src=)/);
    expect(page.body).toContain('aria-current="page"');
    const ids = idsOf(page.body);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('have no broken links', async () => {
    for (const url of PAGES) {
      const { body } = await read(url);
      for (const link of linksOf(body).filter((target) => !target.startsWith('https://'))) {
        const { pathname, hash } = new URL(link, `http://localhost${url}`);
        const target = await read(pathname);
        expect([link, target.statusCode]).toEqual([link, 200]);
        if (hash !== '') expect(idsOf(target.body)).toContain(hash.slice(1));
      }
    }
  });

  test('are where /api redirects to', async () => {
    const response = await read('/api');
    expect([response.statusCode, response.headers.location]).toEqual([302, '/api/docs']);
  });

  test('return api_disabled, like every route, while the API is switched off', async () => {
    const apiSwitch = { enabled: () => false, [Symbol.asyncDispose]: async () => {} };
    await using off = await startFakeApi(undefined, { apiSwitch });
    for (const url of [...PAGES, '/api/openapi.json', '/api/docs/assets/style.css']) {
      const response = await off.app.inject({ url });
      expect([response.statusCode, response.json().error.code]).toEqual([404, 'api_disabled']);
    }
  });

  test('link by the path of the public URL when a proxy adds to the prefix', async () => {
    await using behind = await startFakeApi(
      undefined,
      {},
      {
        PUBLIC_URL: 'https://example.com/images/api',
      },
    );
    const { body } = await behind.app.inject({ url: '/api/docs' });
    expect(body).toContain('href="/images/api/docs/errors"');
    expect(body).toContain('data-document="/images/api/openapi.json"');
  });
});

describe('the errors page', () => {
  test('has an anchor for every code', async () => {
    const { body } = await read('/api/docs/errors');
    expect(idsOf(body)).toEqual(expect.arrayContaining(Object.keys(ERRORS)));
  });

  test('is what doc_url links to', async () => {
    const { error } = (await read('/api/v1/account')).json<ErrorEnvelope>();
    const { origin, pathname, hash } = new URL(error.doc_url);
    expect(`${origin}/api`).toBe(api.config.api.publicUrl);
    expect(idsOf((await read(pathname)).body)).toContain(hash.slice(1));
  });
});

describe('the tools page', () => {
  test('lists every tool with its options, values, defaults and price', async () => {
    const { body } = await read('/api/docs/tools');
    for (const tool of describeCatalog().flatMap(({ tools }) => tools)) {
      const [, section = ''] =
        new RegExp(`<section[^>]* id="${tool.slug}"([\\s\\S]*?)</section>`).exec(body) ?? [];
      expect(section, tool.slug).toContain(`${tool.imagesAt2K} image`);
      expect(section.includes('reads customPrompt')).toBe(tool.readsCustomPrompt);
      expect(section.includes('auto uses a preset')).toBe(tool.hasPreset);
      for (const option of tool.options)
        for (const name of [option.key, ...option.values, option.default ?? option.key])
          expect(section, `${tool.slug} ${option.key}`).toContain(`<code>${name}</code>`);
    }
    for (const { key } of describeCommonOptions()) expect(body).toContain(`<code>${key}</code>`);
  });
});

describe('the limits page', () => {
  test('has every limit of the contract', async () => {
    const { body } = await read('/api/docs/limits');
    const cells = [...body.matchAll(/<td>([^<]*)<\/td><\/tr>/g)].map(([, cell]) => cell);
    const { ip, windowMs, ...groups } = RATE_LIMITS;
    for (const limit of [ip, ...Object.values(groups)]) expect(cells).toContain(String(limit));
    expect(cells).toEqual(
      expect.arrayContaining(['20 MB', '100 megapixels', '30 MB', '1 MB', '10 seconds, 3 redirects']),
    );
    const { completedJobsPerAccount, failedInputDays, freeImages, retentionDaysMax } = LIMITS;
    for (const figure of [
      `any ${windowMs / 1000} seconds`,
      `${LIMITS.urlLength} characters`,
      `${LIMITS.toolLength} characters`,
      `${LIMITS.idempotencyKeyLength} characters`,
      `${LIMITS.freeTextLength} characters`,
      completedJobsPerAccount.toLocaleString('en-US'),
      `${failedInputDays} days`,
      `1 to ${retentionDaysMax}`,
      `${freeImages} images`,
      '04:20 UTC',
    ])
      expect(body).toContain(figure);
  });

  test('has the figures that the service was configured with', async () => {
    const env = { UNPAID_MB_PER_MINUTE: '40', BYTES_IN_FLIGHT_MB: '2048' };
    await using other = await startFakeApi(undefined, {}, env);
    const { body } = await other.app.inject({ url: '/api/docs/limits' });
    const rows = [...body.matchAll(/<tr><td>([^<]*)<\/td><td>([^<]*)<\/td><\/tr>/g)];
    const cells = Object.fromEntries(rows.map(([, name, cell]) => [name, cell]));
    expect(cells).toMatchObject({
      'One account, over all its keys': '40 MB',
      'Of that, its dry runs': '5 MB',
      'All accounts, from one host': '80 MB',
      'The same for all keys of an account': '512 MB',
      'Jobs being accepted, per account': '50',
    });
    expect(body).toContain('60 test events and 300 redeliveries in any hour');
  });
});

describe('the webhooks page', () => {
  test('has the retry schedule of deliveries', async () => {
    const { body } = await read('/api/docs/webhooks');
    const units: Record<string, number> = { second: 1000, minute: 60_000, hour: 3_600_000 };
    const delays = [...body.matchAll(/<td>(?:none|(\d+) (\w+?)s?)<\/td><\/tr>/g)].map(
      ([, count = '0', unit = 'second']) => Number(count) * (units[unit] ?? Number.NaN),
    );
    const { scheduleMs, timeoutMs, disableAfterMs, disableAfterCycles } = webhookPolicy();
    expect(delays).toEqual(scheduleMs);
    expect([timeoutMs, disableAfterMs, disableAfterCycles]).toEqual([15_000, 5 * 24 * 3_600_000, 3]);
    expect(body).toContain('within 15 seconds');
    expect(body).toContain('for five days and at least three deliveries');
  });
});

describe('the changelog', () => {
  test('has the newest change first', async () => {
    const dates = CHANGES.map(({ date }) => date);
    expect(dates).toEqual([...dates].sort().reverse());
    expect(idsOf((await read('/api/docs/changelog')).body)).toEqual(expect.arrayContaining(dates));
  });
});

describe('markup', () => {
  test('escapes every value, in text and in attributes', () => {
    const hostile = `<script>"'&`;
    expect(html`<p title="${hostile}">${[hostile, html`<b>${1}</b>`]}${null}</p>`.markup).toBe(
      '<p title="&lt;script&gt;&quot;&#39;&amp;">&lt;script&gt;&quot;&#39;&amp;<b>1</b></p>',
    );
  });

  test('renders names between backticks as code', () => {
    expect(html`${prose('Send `<tool>` once.')}`.markup).toBe('Send <code>&lt;tool&gt;</code> once.');
  });
});
