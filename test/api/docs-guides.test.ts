import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderMarkdown } from '../../api/docs/markdown.ts';
import { startFakeApi } from '../contract/fake-api.ts';

let api: Awaited<ReturnType<typeof startFakeApi>>;
beforeAll(async () => {
  api = await startFakeApi(Buffer.alloc(0));
});
afterAll(() => api?.[Symbol.asyncDispose]());

const read = (url: string, headers: Record<string, string> = {}) => api.app.inject({ url, headers });

describe.each([
  ['quickstart', 'docs/quickstart.md'],
  ['idempotency', 'docs/idempotency-keys.md'],
  ['polling', 'docs/polling.md'],
])('/docs/%s', (path, file) => {
  const source = readFileSync(file, 'utf8');

  test(`has the heading and all sections of ${file}`, async () => {
    const { statusCode, headers, body } = await read(`/api/docs/${path}`);
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(body).toContain(`<h1>${source.slice(2, source.indexOf('\n'))}</h1>`);
    expect([...body.matchAll(/<h2 id/g)]).toHaveLength([...source.matchAll(/^## /gm)].length);
    expect([...body.matchAll(/<pre /g)]).toHaveLength([...source.matchAll(/^```/gm)].length / 2);
  });

  test('has only links that lead somewhere', async () => {
    const { body } = await read(`/api/docs/${path}`);
    const links = [...body.matchAll(/\shref="(\/[^"#]*)(?:#([^"]+))?"/g)];
    expect(links.length).toBeGreaterThan(8);
    for (const [, target = '', anchor] of links) {
      const page = await read(target);
      expect([target, page.statusCode]).toEqual([target, 200]);
      if (anchor !== undefined) expect(page.body).toContain(`id="${anchor}"`);
    }
    expect(body).not.toMatch(/href="[^"]*\.md/);
  });
});

test('the quickstart names the base URL of this service', async () => {
  const { body } = await read('/api/docs/quickstart');
  expect(body).toContain(`export BASE=${api.config.api.publicUrl}\n`);
});

test.each([
  ['sample-room.jpg', 'image/jpeg', 'docs/sample-room.jpg'],
  ['quickstart.ts', 'text/plain; charset=utf-8', 'docs/examples/quickstart.ts'],
])('%s, which the quickstart downloads, is served', async (name, type, file) => {
  const { headers, rawPayload } = await read(`/api/docs/assets/${name}`);
  expect(headers['content-type']).toBe(type);
  expect(rawPayload.equals(readFileSync(file))).toBe(true);
});

describe('the root', () => {
  test.each(['text/html,application/xhtml+xml,*/*;q=0.8', 'TEXT/HTML;q=0.5'])(
    'leads a browser that accepts %s to the docs',
    async (accept) => {
      const { statusCode, headers } = await read('/', { accept });
      expect([statusCode, headers.location, headers.vary]).toEqual([302, '/api/docs', 'Accept']);
    },
  );

  test.each(['', '*/*', 'application/json', 'text/html;q=0, application/json'])(
    'is not found for a client that accepts %j',
    async (accept) => {
      const response = await read('/', { accept });
      expect([response.statusCode, response.json().error.code]).toEqual([404, 'not_found']);
    },
  );
});

describe('Markdown', () => {
  const render = (text: string) => renderMarkdown(text, (target) => (target === 'a.md' ? '/a' : undefined));

  test('is a title, a lead and the rest, with the anchors of GitHub', () => {
    const { title, lead, content } = render(
      '# T\n\nSee [a](a.md) and `b_c`.\n\n## Use `it` now\n\n[x](a.md)',
    );
    expect([title, lead]).toEqual(['T', 'See a and `b_c`.']);
    expect(content.markup).toContain('<h2 id="use-it-now">Use <code>it</code> now</h2>');
    expect(content.markup).toContain('<a href="/a">x</a>');
  });

  test('escapes code and text', () => {
    expect(render('# T\n\nL\n\n`<b>` & "c" \\<i>').content.markup).toBe(
      '<p><code>&lt;b&gt;</code> &amp; &quot;c&quot; &lt;i&gt;</p>\n',
    );
  });

  test.each(['No heading.', '# Heading\n\n- no paragraph'])(
    'is refused without its first parts: %j',
    (text) => {
      expect(() => render(text)).toThrow('must begin with');
    },
  );
});
