import { readdirSync, readFileSync } from 'node:fs';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SAMPLE_SIZE, sampleFiles, TOOL_SAMPLES } from '../../api/docs/tool-samples.ts';
import { findTool, planRender } from '../../lib/catalog/catalog.ts';
import { OPERATIONS } from '../../lib/generators/preview/operations.ts';
import { startFakeApi } from '../contract/fake-api.ts';

const ASSETS = 'api/docs/assets';
const FILES = [
  ...new Set(
    Object.entries(TOOL_SAMPLES).flatMap(([slug, sample]) => Object.values(sampleFiles(slug, sample))),
  ),
];

let api: Awaited<ReturnType<typeof startFakeApi>>;
beforeAll(async () => {
  api = await startFakeApi(Buffer.alloc(0));
});
afterAll(() => api?.[Symbol.asyncDispose]());

describe('the samples of the tools page', () => {
  test('exist for exactly the tools that the built-in generator performs', () => {
    expect(Object.keys(TOOL_SAMPLES).sort()).toEqual([...OPERATIONS.keys()].sort());
  });

  test('have options that their tool accepts', () => {
    for (const [slug, { options }] of Object.entries(TOOL_SAMPLES)) {
      const tool = findTool(slug);
      if (tool === undefined) throw new Error(`no ${slug}`);
      expect(planRender(tool, options)).toMatchObject({ ok: true });
    }
  });

  test('are small files of one size, and no other files', async () => {
    const found = readdirSync(`${ASSETS}/samples`).map((name) => `samples/${name}`);
    expect(found.sort()).toEqual([...FILES].sort());
    for (const file of FILES) {
      const bytes = readFileSync(`${ASSETS}/${file}`);
      expect(bytes.length).toBeLessThan(40_000);
      expect(await sharp(bytes).metadata()).toMatchObject(SAMPLE_SIZE);
    }
  });

  test('are shown with their tool, before and after', async () => {
    const { body } = await api.app.inject({ url: '/api/docs/tools' });
    for (const [slug, sample] of Object.entries(TOOL_SAMPLES)) {
      const section = new RegExp(`<section[^>]* id="${slug}"[\\s\\S]*?</section>`).exec(body)?.[0] ?? '';
      for (const file of Object.values(sampleFiles(slug, sample))) {
        expect(section).toContain(`src="/api/docs/assets/${file}"`);
        const { headers, rawPayload } = await api.app.inject({ url: `/api/docs/assets/${file}` });
        expect(headers['content-type']).toBe('image/jpeg');
        expect(rawPayload.equals(readFileSync(`${ASSETS}/${file}`))).toBe(true);
      }
    }
    expect(body.match(/<figure>/g)).toHaveLength(2 * OPERATIONS.size);
  });
});
