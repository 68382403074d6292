import { describe, expect, test } from 'vitest';
import { colorWords } from '../../../lib/catalog/engine/color-words.ts';
import { INSTRUCTION_MAX_LENGTH } from '../../../lib/catalog/plan.ts';
import { TOOLS } from '../../../lib/catalog/registry.ts';
import type { ToolSpec } from '../../../lib/catalog/tool-spec.ts';
import { instruction, texts, values } from './instruction-cases.ts';
import { tool } from './plan.ts';

const tools = [...TOOLS.values()];
const isPlan = ({ group }: ToolSpec) => group === 'floor-plans';
const changesGeometry = ({ slug }: ToolSpec) =>
  slug === 'lens-correction' || slug === 'perspective-correction';

/** What the tool changes, in words that its list of what stays must not have. */
const SUBJECTS: Readonly<Record<string, RegExp>> = {
  'virtual-staging': /furniture|decor|\bart\b|rugs/,
  'empty-your-space': /furniture|decor|\bart\b|rugs/,
  'empty-your-space-advanced': /furniture|rugs|curtains|lights|appliances/,
  'add-furniture-object': /\bsofas?\b|\bbeds?\b/,
  'furniture-replacement': /furniture/,
  'wall-color-change': /wall colors/,
  'wall-treatment': /wall colors/,
  'flooring-replacement': /floor/,
  'restyle-surfaces': /wall colors|floor|ceiling,|built-in/,
  'fireplace-renovation': /fireplace|mantel/,
  'staircase-railing': /railing|stair/,
  'ceiling-fan': /lights|\bfans?\b/,
  'lighting-update': /lights/,
  'door-update': /doors/,
  'cabinet-replacement': /cabinet/,
  'countertop-replacement': /countertop/,
  'backsplash-update': /backsplash/,
  'kitchen-fixtures': /sink|faucet|hood/,
  'bathroom-fixtures': /bathtub|shower|toilet|sink|faucet|towel/,
  'bathroom-tile': /wall colors|the floor/,
  'exterior-renovation': /facade|doors/,
  'construction-exterior': /facade|roofing|doors|driveway|lawn/,
  'roof-replacement': /roofing/,
  'driveway-renovation': /driveway/,
  'fence-addition': /fences/,
  'exterior-additions': /fences|driveway|paths|structures/,
  'patio-design': /patio/,
  'outdoor-living': /patio|deck|structures/,
  landscaping: /lawn|shrubs|paths/,
  'lawn-enhancement': /lawn/,
  pool: /pool|deck|lawn/,
  'pool-addition': /pool|deck|lawn/,
  'pool-removal': /pool|deck|lawn/,
};

/** Other words that would contradict the tool, in any line of what stays. */
const CONTRADICTIONS: Readonly<Record<string, RegExp>> = {
  'sky-replacement': /\bsky\b|own light/,
  'window-view-replacement': /\bview\b|own light/,
  'day-to-dusk': /own light|the view/,
  'day-to-dusk-exterior': /own light|\bsky\b/,
  'seasonal-changes': /own light|lawn|leaves/,
  'lens-correction': /line up|lens/,
  'perspective-correction': /line up|angle|same position/,
  'virtual-renovation': /finishes|furniture|floor\b/,
  'construction-interior': /finishes|furniture|floor\b/,
  'garage-renovation': /finishes|furniture|floor\b/,
};

describe('what stays', () => {
  const lists = tools.flatMap((spec) => {
    const stays = spec.keep.find((line) => line.startsWith('Exactly as photographed'));
    return stays === undefined ? [] : [{ slug: spec.slug, stays }];
  });

  test.each(lists)('does not name what $slug changes', ({ slug, stays }) => {
    expect(SUBJECTS).toHaveProperty(slug);
    expect(stays).not.toMatch(SUBJECTS[slug] ?? /./);
  });

  test.each(Object.entries(CONTRADICTIONS))('does not contradict %s', (slug, words) => {
    for (const line of tool(slug).keep) expect(line).not.toMatch(words);
  });

  test('names the fixed parts of a room one by one', () => {
    const stays = instruction(tool('virtual-staging'), {});
    for (const part of ['wall', 'floor', 'ceiling', 'window', 'view', 'doors', 'built-in'])
      expect(stays).toContain(part);
  });

  test('has what the contract says of plots', () => {
    for (const slug of ['exterior-additions', 'landscaping'])
      expect(instruction(tool(slug), {})).toContain('Pools, spas, pergolas, gazebos, decks and patios stay');
  });

  test('keeps the text and lines of a plan that is only colored', () => {
    expect(tool('floor-plan-colorize').keep.join()).toMatch(/text, dimensions, .* exactly as drawn/);
  });
});

describe('every instruction', () => {
  const tiers = tools.flatMap((spec) => [
    { slug: spec.slug, spec, options: {} },
    ...(spec.preset === undefined ? [] : [{ slug: spec.slug, spec, options: { tier: 'auto' } }]),
    ...(spec.customPrompt === 'read'
      ? [{ slug: spec.slug, spec, options: { tier: 'custom', customPrompt: 'calm' } }]
      : []),
  ]);

  test.each(tiers)('of $slug with $options has framing, and one image without additions', (row) => {
    const told = instruction(row.spec, row.options);
    expect(told).toMatch(/exact( crop, orientation and)? aspect ratio/);
    if (!isPlan(row.spec)) expect(told).toContain('edge to edge');
    if (!isPlan(row.spec) && !changesGeometry(row.spec))
      expect(told).toContain('same position, height, lens, angle and perspective');
    expect(told).toMatch(
      /no collage and no before-and-after\. Add no people, .*logos, watermarks, signatures/,
    );
    expect(told).toMatch(isPlan(row.spec) ? /Return one image/ : /Return one photorealistic photo/);
  });

  test.each(tiers)('of $slug with $options names the task first, and is short', ({ spec, options }) => {
    expect(instruction(spec, options)).toMatch(/^[A-Z][a-z]+ .*\.\n/);
    expect(instruction(spec, options).length).toBeLessThanOrEqual(2000);
  });

  test.each(tools)('of $slug has a length that a model accepts, with the longest text', (spec) => {
    const long = '\u{1F3E0}'.repeat(500);
    const all = Object.fromEntries(Object.keys(spec.options).map((key) => [key, long]));
    const free = Object.fromEntries(Object.keys(texts(spec)).map((key) => [key, long]));
    const cases = spec.ownKeysOnly
      ? [{}]
      : [
          free,
          ...(spec.alwaysChecked ? [] : [{ ...all, tier: 'auto' }]),
          { tier: 'custom', customPrompt: long },
        ];
    for (const options of cases)
      expect(instruction(spec, options).length).toBeLessThanOrEqual(INSTRUCTION_MAX_LENGTH);
  });

  test.each(tools)('of $slug differs for each value of each option', (spec) => {
    const all = values(spec);
    for (const key of new Set(all.map((value) => value.key))) {
      const told = all.filter((value) => value.key === key).map(({ options }) => instruction(spec, options));
      expect(new Set(told).size).toBe(told.length);
    }
  });
});

describe('a color', () => {
  test.each([
    ['#FFFFFF', 'white'],
    ['#faf6ee', 'off-white'],
    ['#000000', 'black'],
    ['#808080', 'medium gray'],
    ['#FF0000', 'red'],
    ['#FFD400', 'yellow'],
    ['#1F3A5F', 'dark blue'],
    ['#8FA68E', 'muted green'],
    ['#6B4423', 'brown'],
    ['#D9C7A8', 'beige'],
    ['#FFC0CB', 'light pink'],
    ['#40E0D0', 'teal'],
  ])('%s is called %s', (hex, words) => {
    expect(colorWords(hex)).toBe(words);
  });
});
