import { describe, expect, it } from 'vitest';
import { acceptedPlan, refusedPlan, warned } from './plan.ts';

const SLUG = 'floor-plan-to-3d';
const TIERS = [{ tier: 'guided' }, { tier: 'auto' }, { tier: 'custom', customPrompt: 'as a dollhouse' }];
const settings = (options?: Record<string, unknown>) => acceptedPlan(SLUG, options).settings;

describe('aliases of floor-plan-to-3d', () => {
  it('view is an alias of outputStyle', () => {
    expect(settings({ view: 'topdown' })).toEqual({ ...settings(), outputStyle: 'topdown' });
    expect(settings({ view: 'cutaway_isometric' }).outputStyle).toBe('cutaway_isometric');
    expect(warned(SLUG, { view: 'topdown' })).toEqual([]);
  });

  it('style is an alias of interiorStyle for its values', () => {
    expect(settings({ style: 'luxury' }).interiorStyle).toBe('luxury');
    expect(warned(SLUG, { style: 'luxury' })).toEqual([]);
  });

  it('are ignored with a warning when their key is sent as well', () => {
    const options = {
      view: 'topdown',
      outputStyle: 'cutaway_isometric',
      style: 'luxury',
      interiorStyle: 'coastal',
    };
    expect(settings(options)).toMatchObject({ outputStyle: 'cutaway_isometric', interiorStyle: 'coastal' });
    for (const tier of TIERS) expect(warned(SLUG, { ...tier, ...options })).toEqual(['view', 'style']);
  });

  it('an unknown style is ignored with a warning in every tier', () => {
    for (const tier of TIERS)
      for (const style of ['gothic', 'constructor', '', 5, null])
        expect(warned(SLUG, { ...tier, style })).toEqual(['style']);
    expect(settings({ style: 'gothic' })).toEqual(settings());
  });

  it('an unknown view is rejected in every tier, also next to outputStyle', () => {
    for (const tier of TIERS)
      for (const view of ['sideways', '__proto__', 'toString', '', 1, null])
        expect(refusedPlan(SLUG, { ...tier, view, outputStyle: 'topdown' })).toContain('options.view');
  });
});

describe('own keys of floor-plan-to-3d', () => {
  it.each(['fp3dOutdoor', 'fp3dLabels', 'inputType', 'outputStyle', 'interiorStyle', 'furnitureMode'])(
    'an unknown value of %s is rejected in every tier',
    (key) => {
      for (const tier of TIERS)
        for (const value of ['sideways', '', 1, null])
          expect(refusedPlan(SLUG, { ...tier, [key]: value })).toContain(`options.${key}`);
    },
  );

  it('inputType auto is the same as omitting it', () => {
    expect(acceptedPlan(SLUG, { inputType: 'auto' })).toEqual(acceptedPlan(SLUG));
    expect(acceptedPlan(SLUG, { inputType: 'hand_sketch' }).instruction).toContain('hand sketch');
  });

  it('furnitureMode empty gives an empty shell without a style', () => {
    const plan = acceptedPlan(SLUG, { furnitureMode: 'empty', interiorStyle: 'coastal' });
    expect(plan.instruction).toContain('empty shell');
    expect(plan.settings).not.toHaveProperty('interiorStyle');
  });

  it('are replaced by the preset in auto and by the text in custom', () => {
    const options = { outputStyle: 'topdown', view: 'topdown' };
    expect(acceptedPlan(SLUG, { ...options, tier: 'auto' }).settings).toEqual({});
    expect(acceptedPlan(SLUG, { ...options, tier: 'custom', customPrompt: 'x' }).settings).toEqual({
      customPrompt: 'x',
    });
  });

  it('of other floor plan tools are checked in guided only', () => {
    expect(refusedPlan('floor-plan-colorize', { colorScheme: 'infrared' })).toContain('colorScheme');
    acceptedPlan('floor-plan-colorize', { tier: 'auto', colorScheme: 'infrared' });
  });
});

describe('preserve of sketch-to-floor-plan', () => {
  const sketch = (preserve?: unknown) => acceptedPlan('sketch-to-floor-plan', { preserve });

  it('is empty by default', () => {
    expect(sketch().settings).toEqual({});
    expect(sketch().instruction).toContain('Leave dimensions, room names and furniture out.');
  });

  it('accepts a list or a comma-separated string', () => {
    const wanted = { preserve: 'dimensions, room-names' };
    expect(sketch(['dimensions', 'room-names']).settings).toEqual(wanted);
    expect(sketch('dimensions,room-names').settings).toEqual(wanted);
    expect(sketch('dimensions').instruction).toContain('only these: dimensions.');
  });

  it.each(['stairs', 'dimensions,stairs', '', 1, {}, [1], [null], [['dimensions']], ['dimensions', 'x']])(
    'rejects %j',
    (preserve) => {
      expect(refusedPlan('sketch-to-floor-plan', { preserve })).toContain('any of dimensions');
    },
  );

  it('accepts any list where it is not checked', () => {
    const preserve = [{}, null, 'a\u0000b', 4, 'x'.repeat(9000), ...Array(5000).fill('y')];
    const plan = acceptedPlan('sketch-to-floor-plan', { tier: 'custom', customPrompt: 'x', preserve });
    expect(plan.settings.preserve).toMatch(/^a b, 4, x+$/);
    expect(plan.settings.preserve?.length).toBeLessThanOrEqual(100);
  });
});
