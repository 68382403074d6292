import Schema from 'typebox/schema';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ToolWithOptions } from '../../lib/contract/schemas.ts';
import { fakeToolSwitch } from '../fakes/tool-switch.ts';
import { CHOICES, FREE, SLUGS } from '../lib/catalog/spec-tables.ts';
import { postJob } from '../setup/client.ts';
import { sampleImage } from '../setup/images.ts';
import { startFakeApi } from './fake-api.ts';
import { expectError, outcome } from './responses.ts';

let api: Awaited<ReturnType<typeof startFakeApi>>;
let image_base64: string;
const disabled = new Set<string>();

beforeAll(async () => {
  image_base64 = await sampleImage();
  const toolSwitch = fakeToolSwitch(disabled);
  api = await startFakeApi(Buffer.from(image_base64, 'base64'), { toolSwitch });
});
beforeEach(() => disabled.clear());
afterAll(async () => api?.app.close());

const get = (path: string) => api.app.inject({ url: `/api/v1/tools${path}`, headers: api.headers });
const read = async (slug: string) => (await get(`/${slug}`)).json<ToolWithOptions>();

interface Property {
  title: string;
  description: string;
  enum?: string[];
  default?: string;
  'x-alias-of'?: string;
}
const propertiesOf = ({ options }: ToolWithOptions) => options.properties as Record<string, Property>;

describe('GET /v1/tools?expand=options', () => {
  test('returns the list with the details of GET /v1/tools/{slug}', async () => {
    const [plain, expanded] = [(await get('')).json(), (await get('?expand=options')).json()];
    expect(expanded).toHaveLength(SLUGS.length);
    expect(plain).toEqual(
      expanded.map(({ slug, images_cost, preview_only }: ToolWithOptions) => ({
        slug,
        images_cost,
        preview_only,
      })),
    );
    for (const tool of expanded) {
      expect(Value.Check(ToolWithOptions, tool)).toBe(true);
      expect(await read(tool.slug)).toEqual(tool);
    }
  });

  test.each([
    'expand',
    'expand=',
    'expand=Options',
    'expand=all',
    'expand=options&expand=options',
    'expand=options%00',
    `expand=${'o'.repeat(500)}`,
  ])('rejects %s', async (query) => {
    const response = await get(`?${query}`);
    expectError(response, 'invalid_request', api.config.api.publicUrl);
    expect(response.json().error.message).toMatch(/^expand: must be (one of options|sent once)\.$/);
  });

  test('ignores other parameters', async () => {
    expect((await get('?limit=1&limit=2&expanded=options')).json()).toEqual((await get('')).json());
  });
});

describe('the options of a tool', () => {
  test.each(Object.entries(CHOICES))(
    'of %s have the values and defaults of the contract',
    async (slug, rows) => {
      const properties = propertiesOf(await read(slug));
      for (const [key, values, fallback] of rows) {
        expect(properties[key]?.enum).toEqual(values.split(', '));
        expect(properties[key]?.default ?? null).toBe(fallback);
      }
    },
  );

  test.each(FREE)('of %s include %s', async (slug, key) => {
    expect(propertiesOf(await read(slug))).toHaveProperty(key);
  });

  test.each(SLUGS)(
    'of %s (%i) have titles and descriptions, and the tiers (%s)',
    async (slug, _images, custom) => {
      const tool = await read(slug);
      const properties = propertiesOf(tool);
      for (const { title, description } of Object.values(properties))
        expect([title, description]).toEqual([
          expect.stringMatching(/^[A-Z][a-z]*( [a-z]+)*$/),
          expect.stringMatching(/^\S.+\.$/),
        ]);
      if (slug === 'virtual-staging') {
        expect(tool.options).toMatchObject({ required: ['style'], additionalProperties: false });
        expect(properties).not.toHaveProperty('tier');
        return;
      }
      expect(properties.tier).toMatchObject({ enum: ['auto', 'guided', 'custom'], default: 'guided' });
      expect(properties.resolution).toMatchObject({ enum: ['2K', '4K'], default: '2K' });
      expect('customPrompt' in properties).toBe(custom === 'read');
    },
  );

  test('name what an alias stands for', async () => {
    const { view, style } = propertiesOf(await read('floor-plan-to-3d'));
    expect([view?.['x-alias-of'], style?.['x-alias-of']]).toEqual(['outputStyle', 'interiorStyle']);
    expect(view?.description).toContain('cutaway means modern_cutaway');
    expect(view?.description).toContain('Used when outputStyle is not sent.');
  });

  test('say when an option is used', async () => {
    const { poolShape } = propertiesOf(await read('pool'));
    expect(poolShape?.description).toContain('Used when poolAction is add or convert.');
  });

  test.each([
    ['roof-replacement', { material: 'slate', resolution: '4K' }],
    ['roof-replacement', { material: 'straw' }],
    ['virtual-staging', { style: 'modern' }],
    ['virtual-staging', {}],
    ['virtual-staging', { style: 'modern', tier: 'guided' }],
    ['wall-color-change', { no_such_key: 1 }],
    ['exterior-additions', { hasExisting: true }],
  ])('of %s agree with POST /v1/jobs on %j', async (tool, options) => {
    const [valid] = Schema.Compile((await read(tool)).options).Errors(options);
    const response = await postJob(api.app, api.headers, { tool, image_base64, options });
    expect(outcome(response)).toBe(valid ? '201' : '400 invalid_request');
  });
});

describe('GET /v1/tools/{slug}', () => {
  test.each([
    ['Virtual-Staging', 'virtual-staging'],
    ['decluter', 'declutter'],
    ['sky', 'sky-replacement'],
    ['pool%20', 'pool'],
  ])('of %s is not found and names %s', async (slug, meant) => {
    const response = await get(`/${slug}`);
    expectError(response, 'not_found', api.config.api.publicUrl);
    expect(response.json().error.message).toContain(`Did you mean ${meant}?`);
  });

  test.each([
    '',
    '%00',
    '__proto__',
    'constructor',
    '..%2F',
    '%E2%80%AE',
    '%zz',
    'x'.repeat(10_000),
    'declutter/',
  ])('of %j is not found', async (slug) =>
    expectError(await get(`/${slug}`), 'not_found', api.config.api.publicUrl),
  );

  test('omits a tool that is switched off, as the list does', async () => {
    disabled.add('declutter');
    const expanded = (await get('?expand=options')).json<ToolWithOptions[]>();
    expect(expanded.map(({ slug }) => slug)).not.toContain('declutter');
    expectError(await get('/declutter'), 'not_found', api.config.api.publicUrl);
  });

  test('needs a key', async () => {
    for (const url of ['/api/v1/tools/declutter', '/api/v1/tools?expand=options'])
      expectError(await api.app.inject({ url }), 'invalid_api_key', api.config.api.publicUrl);
  });
});
