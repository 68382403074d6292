import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHOICES, FREE, NAMED, SLUGS } from '../lib/catalog/spec-tables.ts';
import { postJob } from '../setup/client.ts';
import { sampleImage } from '../setup/images.ts';
import { startFakeApi } from './fake-api.ts';
import { error, outcome } from './responses.ts';

let api: Awaited<ReturnType<typeof startFakeApi>>;
let image_base64: string;

beforeAll(async () => {
  image_base64 = await sampleImage();
  api = await startFakeApi(Buffer.from(image_base64, 'base64'));
});
afterAll(async () => api?.app.close());

const post = (tool: string, options?: object) =>
  postJob(api.app, api.headers, { tool, image_base64, options });
const STAGING = 'virtual-staging';
const needed = (tool: string) => (tool === STAGING ? { style: 'modern' } : {});

/** Posts a request that must be accepted at this price. Returns the ignored options. */
async function ignored(tool: string, options: object, images = 1): Promise<string[]> {
  const response = await post(tool, options);
  expect(outcome(response)).toBe('201');
  const { images_charged, status, warnings } = response.json();
  expect([images_charged, status]).toEqual([images, 'processing']);
  for (const { code, message } of warnings) {
    expect(code).toBe('option_ignored');
    expect(message).toMatch(/\.$/);
  }
  return warnings.map(({ option }: { option: string }) => option);
}

test('GET /v1/tools returns the slug table', async () => {
  const listed = await api.app.inject({ url: '/api/v1/tools', headers: api.headers });
  expect(listed.json()).toEqual(
    SLUGS.map(([slug, images_cost]) => ({ slug, images_cost, preview_only: expect.any(Boolean) })),
  );
});

describe('every slug', () => {
  test.each(SLUGS)('%s costs %i; customPrompt is %s', async (tool, images, customPrompt) => {
    expect(await ignored(tool, needed(tool), images)).toEqual([]);
    const custom = { ...needed(tool), tier: 'custom', customPrompt: 'With oak.' };
    if (tool === STAGING) {
      for (const key of ['resolution', 'tier', 'customPrompt', 'color'])
        expect(outcome(await post(tool, { ...needed(tool), [key]: '2K' }))).toBe(error('invalid_request'));
      expect(outcome(await post(tool))).toBe(error('invalid_request'));
      expect(outcome(await post(tool, {}))).toBe(error('invalid_request'));
      return;
    }
    expect(await ignored(tool, custom, images)).toEqual(customPrompt === 'read' ? [] : ['customPrompt']);
    expect(await ignored(tool, { customPrompt: 'With oak.' }, images)).toEqual(['customPrompt']);
    expect(await ignored(tool, { resolution: '4K' }, 2)).toEqual([]);
    expect(await ignored(tool, { resolution: '2K', tier: 'guided' }, images)).toEqual([]);
    for (const resolution of ['8K', '4k', '', 4, null, ['4K'], {}])
      expect(await ignored(tool, { resolution, tier: 'auto' }, images)).toEqual(['resolution']);
    expect(await ignored(tool, { no_such_key: 1 }, images)).toEqual(['no_such_key']);
    for (const wrong of [
      { tier: 'Custom' },
      { tier: null },
      { tier: 'custom' },
      { tier: 'custom', customPrompt: ' ' },
    ])
      expect(outcome(await post(tool, wrong))).toBe(error('invalid_request'));
    const long = (length: number) => post(tool, { tier: 'custom', customPrompt: 'x'.repeat(length) });
    expect([outcome(await long(500)), outcome(await long(501))]).toEqual(['201', error('invalid_request')]);
  });
});

describe('every option with listed values', () => {
  const rows = Object.entries(CHOICES).flatMap(([tool, table]) =>
    table.map(([key, values, fallback]) => [tool, key, values.split(', '), fallback] as const),
  );

  test.each(rows)('%s: %s', async (tool, key, values) => {
    for (const value of values) expect(await ignored(tool, { [key]: value })).toEqual([]);
    const wrong = [`${values[0]}x`, String(values[0]).toUpperCase(), '', ' ', 0, true, null, [values[0]], {}];
    for (const value of wrong)
      expect(outcome(await post(tool, { [key]: value }))).toBe(error('invalid_request'));
    expect(await ignored(tool, { [key]: 'unheard-of', tier: 'auto' })).toEqual([]);
    const unchecked = { [key]: 'unheard-of', tier: 'custom', customPrompt: 'With oak.' };
    expect(outcome(await post(tool, unchecked))).toBe('201');
  });

  test.each(rows.filter(([, , , fallback]) => fallback !== null))(
    '%s: %s has its default',
    async (tool, key, _values, fallback) => {
      await ignored(tool, {});
      const { options } = api.gateway.asked.at(-1)?.draft ?? {};
      expect([fallback, undefined]).toContain(options?.[key]);
    },
  );
});

describe('every option without listed values', () => {
  test.each(FREE)('%s: %s', async (tool, key) => {
    const [right, wrong] =
      key === 'targetColor'
        ? [
            ['#a0B1c2', '#FFFFFF'],
            ['red', '#fff', 'FFFFFF', '#GGGGGG', ' #FFFFFF', '#FFFFFF00', '', 0],
          ]
        : [
            ['sage-green', 'x'.repeat(500), ''],
            ['x'.repeat(501), 5, null, [], {}],
          ];
    for (const value of right) expect(await ignored(tool, { [key]: value })).toEqual([]);
    for (const value of wrong)
      expect(outcome(await post(tool, { [key]: value }))).toBe(error('invalid_request'));
  });

  test.each(NAMED)('%s has the keys the contract names', async (tool, keys) => {
    for (const key of keys) {
      const response = await post(tool, { ...needed(tool), [key]: 'unheard-of' });
      // Only the alias `style` is ignored with a warning.
      if (tool === 'floor-plan-to-3d' && key === 'style') expect(response.json().warnings).toHaveLength(1);
      else expect(outcome(response)).toBe(error('invalid_request'));
    }
  });
});

describe('floor-plan-to-3d', () => {
  const TOOL = 'floor-plan-to-3d';

  test.each(['guided', 'auto', 'custom'])('checks its own keys in the tier %s', async (tier) => {
    const base = { tier, ...(tier === 'custom' ? { customPrompt: 'Bright.' } : {}) };
    for (const key of ['view', 'fp3dOutdoor', 'fp3dLabels', 'outputStyle', 'interiorStyle', 'furnitureMode'])
      expect(outcome(await post(TOOL, { ...base, [key]: 'unheard-of' }))).toBe(error('invalid_request'));
    expect(await ignored(TOOL, { ...base, view: 'topdown', style: 'luxury' })).toEqual([]);
    expect(await ignored(TOOL, { ...base, style: 'unheard-of' })).toEqual(['style']);
  });

  test('warns about an alias that is sent with its key', async () => {
    const both = {
      view: 'topdown',
      outputStyle: 'cutaway_isometric',
      style: 'luxury',
      interiorStyle: 'luxury',
    };
    expect(await ignored(TOOL, both)).toEqual(['view', 'style']);
    expect(await ignored(TOOL, { inputType: 'auto', furnitureMode: 'empty' })).toEqual([]);
  });
});
