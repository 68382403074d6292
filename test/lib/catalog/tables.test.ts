import { describe, expect, it } from 'vitest';
import { describeTools, findTool } from '../../../lib/catalog/catalog.ts';
import { describeTool } from '../../../lib/catalog/describe.ts';
import { acceptedPlan, refusedPlan, tool } from './plan.ts';
import { CHOICES, COMPLETE, FREE, NAMED, SLUGS } from './spec-tables.ts';

const option = (slug: string, key: string) => describeTool(tool(slug)).options.find((o) => o.key === key);

describe('the slug table', () => {
  it('lists every slug with its price, in order', () => {
    const listed = describeTools(new Map()).map(({ slug, images_cost }) => [slug, images_cost]);
    expect(listed).toEqual(SLUGS.map(([slug, images_cost]) => [slug, images_cost]));
  });

  it.each(SLUGS)('%s costs %i and its customPrompt is %s', (slug, images, customPrompt) => {
    expect(tool(slug).customPrompt).toBe(customPrompt);
    const options = slug === 'virtual-staging' ? { style: 'modern' } : {};
    expect(acceptedPlan(slug, options)).toMatchObject({ tool: slug, imagesCharged: images, warnings: [] });
  });

  it.each(['__proto__', 'constructor', 'toString', '', 'Pool', 'pool ', 'day-to-dusk (interior)'])(
    'has no tool %j',
    (slug) => {
      expect(findTool(slug)).toBeUndefined();
    },
  );
});

describe('a tool', () => {
  const previewOnly = (orders: [string, string[]][]) =>
    new Set(describeTools(new Map(orders)).flatMap(({ slug, preview_only }) => (preview_only ? [slug] : [])));

  it('is preview only where the built-in generator is the only one and cannot perform it', () => {
    const slugs = previewOnly([
      ['photo', ['preview']],
      ['staging', ['preview']],
    ]);
    expect(slugs).toContain('virtual-staging');
    expect(slugs).not.toContain('noise-reduction');
  });

  it('is performed as soon as its group has a model, even as the second', () => {
    expect(previewOnly([['staging', ['preview', 'gemini']]])).not.toContain('virtual-staging');
    expect(previewOnly([['exterior', ['gemini']]])).toContain('virtual-staging');
  });
});

describe('the option tables', () => {
  const rows = Object.entries(CHOICES).flatMap(([slug, table]) =>
    table.map(([key, values, fallback]) => ({ slug, key, values: values.split(', '), fallback })),
  );

  it.each(rows)('$slug takes $key with its values and default', ({ slug, key, values, fallback }) => {
    expect(option(slug, key)).toMatchObject({ values, default: fallback });
    for (const value of values) expect(acceptedPlan(slug, { [key]: value }).warnings).toEqual([]);
    for (const value of [`${values[0]}x`, String(values[0]).toUpperCase(), '', 1, true, null, [], {}])
      expect(refusedPlan(slug, { [key]: value })).toContain(`options.${key}`);
  });

  it.each(FREE)('%s takes %s', (slug, key, type, fallback) => {
    expect(option(slug, key)).toMatchObject({ type: expect.stringMatching(type), default: fallback });
  });

  it.each(NAMED)('%s has the keys the contract names', (slug, keys) => {
    const described = describeTool(tool(slug)).options.map(({ key }) => key);
    expect(described).toEqual(expect.arrayContaining([...keys]));
  });

  it.each(COMPLETE)('%s has no key beyond its table', (slug) => {
    const free = FREE.filter(([name]) => name === slug).map(([, key]) => key);
    const listed = (CHOICES[slug] ?? []).map(([key]) => key);
    expect(Object.keys(tool(slug).options).sort()).toEqual([...listed, ...free].sort());
  });

  it('include the values that the contract names for other tools', () => {
    expect(option('floor-plan-to-3d', 'fp3dOutdoor')?.default).toBe('as_drawn');
    expect(option('floor-plan-to-3d', 'fp3dLabels')?.default).toBe('none');
    expect(option('floor-plan-to-3d', 'inputType')?.values).toContain('auto');
    expect(option('floor-plan-to-3d', 'outputStyle')?.values).toContain('cutaway_isometric');
    expect(option('floor-plan-to-3d', 'furnitureMode')?.values).toContain('empty');
    expect(option('floor-plan-to-3d', 'interiorStyle')?.values).toContain('luxury');
    expect(option('watermark-removal', 'removalTarget')?.values).toContain('watermark');
  });
});

describe('size and price', () => {
  it('renders at 2K for the listed price unless 4K is requested', () => {
    expect(acceptedPlan('pool')).toMatchObject({ imagesCharged: 1, longestSide: 2048, neverSmaller: false });
    expect(acceptedPlan('pool', { resolution: '2K' })).toMatchObject({ imagesCharged: 1, longestSide: 2048 });
    expect(acceptedPlan('pool', { resolution: '4K' })).toMatchObject({ imagesCharged: 2, longestSide: 4096 });
  });

  it('accepts 4K in every tier, also next to a preset', () => {
    const auto = { tier: 'auto', resolution: '4K' };
    expect(acceptedPlan('cabinet-replacement', auto)).toMatchObject({ imagesCharged: 2, longestSide: 4096 });
    const custom = { tier: 'custom', customPrompt: 'oak fronts', resolution: '4K' };
    expect(acceptedPlan('cabinet-replacement', custom)).toMatchObject({
      imagesCharged: 2,
      longestSide: 4096,
    });
  });

  it('upscales to 4K, never below the input', () => {
    const size = { longestSide: 4096, neverSmaller: true };
    expect(acceptedPlan('image-upscaling')).toMatchObject({ ...size, imagesCharged: 1 });
    expect(acceptedPlan('image-upscaling', { resolution: '4K' })).toMatchObject({
      ...size,
      imagesCharged: 2,
    });
    for (const resolution of [undefined, '2K', '4K', 'huge'])
      expect(acceptedPlan('4k-upscale', { resolution })).toMatchObject({ ...size, imagesCharged: 2 });
    expect(acceptedPlan('4k-upscale').instruction).toBe(acceptedPlan('image-upscaling').instruction);
  });
});
