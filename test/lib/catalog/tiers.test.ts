import { describe, expect, it } from 'vitest';
import { acceptedPlan, refusedPlan, warned } from './plan.ts';
import { SLUGS } from './spec-tables.ts';

const TIERED = SLUGS.filter(([slug]) => slug !== 'virtual-staging');
const NOT_READING = TIERED.filter(([, , read]) => read === 'not read');
const READING = TIERED.filter(([, , read]) => read === 'read');

describe('the tier', () => {
  it('is guided by default', () => {
    expect(acceptedPlan('pool', { tier: 'guided' })).toEqual(acceptedPlan('pool'));
  });

  it.each(['Guided', '', 'pro', 1, true, null, [], {}])('must be one of three, not %j', (tier) => {
    expect(refusedPlan('pool', { tier })).toMatch(/options\.tier must be one of auto, guided, custom/);
  });
});

describe('guided', () => {
  it('follows the options, defaults included', () => {
    const plan = acceptedPlan('cabinet-replacement', { cabinetStyle: 'glass-front' });
    expect(plan.settings).toEqual({ cabinetStyle: 'glass-front', cabinetColor: 'white' });
    expect(plan.instruction).toMatch(/glass-front wall cabinets.*\nTheir surface: painted white\./);
  });

  it('lists the allowed values of a key in its error', () => {
    expect(refusedPlan('roof-replacement', { material: 'thatch' })).toBe(
      'options.material must be one of architectural-shingle, metal-standing-seam, clay-tile, slate, cedar-shake, not "thatch".',
    );
  });
});

describe('custom', () => {
  it.each(READING)('makes %s follow the text and nothing else', (slug) => {
    const plan = acceptedPlan(slug, { tier: 'custom', customPrompt: '  pale oak\nfronts ' });
    expect(plan.settings).toEqual({ customPrompt: 'pale oak fronts' });
    expect(plan.instruction).toContain('\nwishes: pale oak fronts\n');
    expect(plan.warnings).toEqual([]);
  });

  it('neither checks nor uses the options', () => {
    const options = { tier: 'custom', customPrompt: 'pale oak', cabinetStyle: 'gilded', cabinetColor: 7 };
    expect(acceptedPlan('cabinet-replacement', options)).toEqual(
      acceptedPlan('cabinet-replacement', { tier: 'custom', customPrompt: 'pale oak' }),
    );
  });

  it.each(NOT_READING)('makes %s ignore the text, use options unchecked and warn', (slug) => {
    const { settings, warnings } = acceptedPlan(slug, { tier: 'custom', customPrompt: 'pale oak' });
    expect(settings).toEqual(acceptedPlan(slug).settings);
    expect(warnings).toEqual([
      { code: 'option_ignored', option: 'customPrompt', message: expect.stringMatching(/unchecked/) },
    ]);
  });

  it('uses unchecked options of a tool that reads no text', () => {
    const plan = acceptedPlan('roof-replacement', {
      tier: 'custom',
      customPrompt: 'straw',
      material: 'thick-thatch',
    });
    expect(plan.settings).toEqual({ material: 'thick-thatch' });
    expect(plan.instruction).toContain('\nmaterial: thick thatch\n');
  });

  it.each([undefined, '', '   ', '\u0000\u200B\n'])(
    'requires a text on every tool, not %j',
    (customPrompt) => {
      for (const slug of ['cabinet-replacement', 'pool'])
        expect(refusedPlan(slug, { tier: 'custom', customPrompt })).toMatch(/customPrompt is required/);
    },
  );
});

describe('customPrompt', () => {
  it.each(['guided', 'auto', 'custom'])('is a string of at most 500 characters with tier %s', (tier) => {
    for (const slug of ['cabinet-replacement', 'pool']) {
      acceptedPlan(slug, { tier, customPrompt: '\u{1F3E0}'.repeat(500) });
      expect(refusedPlan(slug, { tier, customPrompt: 'x'.repeat(501) })).toMatch(/more than 500/);
      expect(refusedPlan(slug, { tier, customPrompt: '\u{1F3E0}'.repeat(501) })).toMatch(/more than 500/);
      for (const customPrompt of [1, true, null, [], {}])
        expect(refusedPlan(slug, { tier, customPrompt })).toMatch(/customPrompt must be a string/);
    }
  });

  it('is named in warnings without tier custom, on every tool', () => {
    for (const [slug] of TIERED)
      for (const tier of ['guided', 'auto'])
        expect(warned(slug, { tier, customPrompt: 'pale oak' })).toEqual(['customPrompt']);
  });
});

describe('auto', () => {
  it.each(
    READING.map(([slug]) => slug).filter((slug) => /cabinet|counter|backsplash|fixtures|tile/.test(slug)),
  )('makes %s use its preset instead of the options', (slug) => {
    const plan = acceptedPlan(slug, { tier: 'auto', fixtureFinish: 'neon', tileTone: 'pink' });
    expect(plan.settings).toEqual({});
    expect(plan.instruction).toBe(acceptedPlan(slug, { tier: 'auto' }).instruction);
    expect(plan.instruction).not.toBe(acceptedPlan(slug).instruction);
  });

  it('has presets for the floor plan, kitchen and bath and most interior renovation tools', () => {
    const preset = TIERED.filter(
      ([slug]) => Object.keys(acceptedPlan(slug, { tier: 'auto' }).settings).length === 0,
    );
    const guided = TIERED.filter(([slug]) => Object.keys(acceptedPlan(slug).settings).length > 0);
    const both = preset.filter((row) => guided.includes(row)).map(([slug]) => slug);
    expect(both).toEqual(
      'wall-color-change wall-treatment flooring-replacement restyle-surfaces fireplace-renovation staircase-railing ceiling-fan lighting-update door-update cabinet-replacement countertop-replacement backsplash-update kitchen-fixtures bathroom-fixtures bathroom-tile floor-plan-to-3d floor-plan-colorize floor-plan-visualize'.split(
        ' ',
      ),
    );
  });

  it('lets sketch-to-floor-plan use its page size next to the preset', () => {
    const options = { tier: 'auto', pageSize: 'a3', preserve: 'furniture' };
    const { settings, instruction } = acceptedPlan('sketch-to-floor-plan', options);
    expect(settings).toEqual({ pageSize: 'a3' });
    expect(instruction).toMatch(/without dimensions, room names or furniture\.\nLay it out .* A3 page/);
  });

  it('renders the other tools from unchecked options', () => {
    const plan = acceptedPlan('fence-addition', { tier: 'auto', fenceType: 'woven_willow' });
    expect(plan.settings).toEqual({ fenceType: 'woven_willow' });
    expect(plan.instruction).toContain('\nfence type: woven willow\n');
    expect(acceptedPlan('fence-addition', { tier: 'auto' })).toEqual(acceptedPlan('fence-addition'));
  });
});

describe('unchecked values', () => {
  const fence = (fenceType: unknown) =>
    acceptedPlan('fence-addition', { tier: 'auto', fenceType }).settings.fenceType;

  it('become one bounded line', () => {
    expect(fence('split\r\n\u2028rail\u0000\u202E')).toBe('split rail');
    expect(fence('\uD800bad\uDFFF')).toBe('bad');
    expect(fence('x'.repeat(5_000_000))).toHaveLength(100);
  });

  it('count as text when they are numbers or booleans', () => {
    expect(fence(42)).toBe('42');
    const { settings } = acceptedPlan('outdoor-living', { tier: 'auto', hasExisting: true });
    expect(settings.hasExisting).toBe('true');
  });

  it('are replaced by the default when they are blank, lists or objects', () => {
    for (const value of ['', ' ', [], ['split-rail'], {}]) expect(fence(value)).toBe('wood-privacy');
  });

  it('must not be null', () => {
    expect(refusedPlan('fence-addition', { tier: 'auto', fenceType: null })).toMatch(/options\.fenceType/);
  });

  it('do not find inherited properties', () => {
    const { instruction } = acceptedPlan('pool', { tier: 'auto', poolAction: 'constructor' });
    expect(instruction).toContain('\npool action: constructor\n');
  });
});
