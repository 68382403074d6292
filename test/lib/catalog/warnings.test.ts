import { describe, expect, it } from 'vitest';
import { MAX_KEYS } from '../../../lib/catalog/engine/check.ts';
import { editDistance, likelyKey } from '../../../lib/catalog/engine/suggest.ts';
import { acceptedPlan, refusedPlan, warned } from './plan.ts';
import { SLUGS } from './spec-tables.ts';

const messageOf = (slug: string, key: string, tier = 'guided') =>
  acceptedPlan(slug, { tier, [key]: 'x' }).warnings[0]?.message;

describe('an unknown key', () => {
  it.each(['guided', 'auto', 'custom'])('is ignored and named with tier %s', (tier) => {
    for (const slug of ['cabinet-replacement', 'pool', 'floor-plan-to-3d']) {
      const base = tier === 'custom' ? { tier, customPrompt: 'x' } : { tier };
      const plan = acceptedPlan(slug, { ...base, paint: 'red', constructor: null });
      const withoutKeys = acceptedPlan(slug, base);
      expect(plan).toEqual({
        ...withoutKeys,
        warnings: [
          ...withoutKeys.warnings,
          { code: 'option_ignored', option: 'paint', message: expect.any(String) },
          { code: 'option_ignored', option: 'constructor', message: expect.any(String) },
        ],
      });
    }
  });

  it('is named even when it is __proto__', () => {
    expect(warned('pool', JSON.parse('{"__proto__": {"poolAction": "remove"}}'))).toEqual(['__proto__']);
  });

  it.each([
    ['cabinet-replacement', 'cabinet_style', 'cabinetStyle'],
    ['cabinet-replacement', 'cabinetColour', 'cabinetColor'],
    ['cabinet-replacement', 'cabinetStlye', 'cabinetStyle'],
    ['cabinet-replacement', 'color', 'cabinetColor'],
    ['cabinet-replacement', 'prompt', 'customPrompt'],
    ['add-furniture-object', 'prompt', 'description'],
    ['add-furniture-object', 'room', 'roomType'],
    ['countertop-replacement', 'shade', 'countertopTone'],
    ['backsplash-update', 'material', 'backsplashMaterial'],
    ['pool', 'size', 'resolution'],
    ['pool', 'quality', 'resolution'],
    ['pool', 'Tier', 'tier'],
    ['pool', 'deckMaterials', 'deckMaterial'],
    ['seasonal-changes', 'weather', 'season'],
  ])('%s: %s probably means %s', (slug, sent, meant) => {
    expect(messageOf(slug, sent)).toContain(`Did you mean ${meant}?`);
  });

  it('gets the list of keys when none is similar', () => {
    expect(messageOf('pool-removal', 'zzzzzz')).toContain(
      'Its options are replacementType, resolution, tier.',
    );
    expect(messageOf('lawn-enhancement', '***')).toContain('Its options are resolution, tier.');
  });

  it('never suggests customPrompt to a tool that does not read it', () => {
    expect(messageOf('pool', 'prompt')).not.toContain('customPrompt');
  });
});

describe('resolution', () => {
  it.each(['2k', '4k', '8K', '', 4, true, null, ['4K'], {}])('%j is ignored and named', (resolution) => {
    for (const [slug] of SLUGS.slice(1)) {
      const plan = acceptedPlan(slug, { resolution });
      expect(plan).toEqual({
        ...acceptedPlan(slug),
        warnings: [{ code: 'option_ignored', option: 'resolution', message: expect.any(String) }],
      });
    }
  });
});

describe('virtual-staging', () => {
  it('needs a style', () => {
    for (const options of [undefined, {}, { roomType: 'bedroom' }])
      expect(refusedPlan('virtual-staging', options)).toMatch(/requires options\.style: one of modern/);
  });

  it.each(['resolution', 'tier', 'customPrompt', 'Style', 'constructor'])('rejects %s', (key) => {
    const message = refusedPlan('virtual-staging', { style: 'modern', [key]: '2K' });
    expect(message).toContain(`"${key}"`);
    expect(message).toContain('style, roomType');
  });

  it('renders at 2K for one image without warnings', () => {
    expect(acceptedPlan('virtual-staging', { style: 'luxury', roomType: 'bedroom' })).toMatchObject({
      imagesCharged: 1,
      longestSide: 2048,
      neverSmaller: false,
      warnings: [],
    });
  });

  it('checks the values of its keys', () => {
    expect(refusedPlan('virtual-staging', { style: 'gothic' })).toContain('options.style');
    expect(refusedPlan('virtual-staging', { style: 'modern', roomType: 'crypt' })).toContain(
      'options.roomType',
    );
  });
});

describe('a hostile set of keys', () => {
  it('is rejected when it is too large to be listed in warnings', () => {
    const many = Object.fromEntries(Array.from({ length: MAX_KEYS + 1 }, (_, i) => [`k${i}`, 1]));
    expect(refusedPlan('pool', many)).toMatch(/more than 100 keys/);
    expect(refusedPlan('pool', { ['k'.repeat(101)]: 1 })).toMatch(/more than 100 characters/);
    expect(warned('pool', { ['k'.repeat(100)]: 1 })).toEqual(['k'.repeat(100)]);
  });

  it('gets one short warning per key', () => {
    const keys = Array.from({ length: 97 }, (_, i) => `${i}`.padEnd(100, 'k'));
    for (const [slug] of SLUGS.slice(1)) {
      const { warnings } = acceptedPlan(slug, Object.fromEntries(keys.map((key) => [key, 1])));
      expect(new Set(warnings.map(({ option }) => option))).toEqual(new Set(keys));
      expect(JSON.stringify(warnings).length).toBeLessThan(22_000);
    }
  });

  it('costs a bounded number of comparisons', () => {
    let reads = 0;
    const keys = new Proxy(['style', 'roomType'], {
      get(target, name, receiver) {
        reads += 1;
        return Reflect.get(target, name, receiver);
      },
    });
    expect(likelyKey('k'.repeat(41), keys)).toBeUndefined();
    expect(reads).toBe(0);
    const similar = [
      'stile',
      'styel',
      'sstyle',
      'styl',
      'stylee',
      'stlye',
      'tyle',
      'istyle',
      'stylo',
      'styje',
      'stile2',
    ];
    const { warnings } = acceptedPlan(
      'virtual-renovation',
      Object.fromEntries(similar.map((key) => [key, 1])),
    );
    expect(warnings.map(({ message }) => message.includes('Did you mean'))).toEqual([
      ...Array(10).fill(true),
      false,
    ]);
  });

  it('is rejected when options is not an object', () => {
    for (const json of ['null', '[]', '"style"', '7'])
      expect(refusedPlan('pool', JSON.parse(json))).toBe('options must be an object.');
  });
});

describe('suggestions', () => {
  it('count a swap of neighbors as one edit', () => {
    expect(editDistance('stlye', 'style')).toBe(1);
    expect(editDistance('', 'abc')).toBe(3);
    expect(editDistance('kitten', 'sitting')).toBe(3);
    expect(editDistance('same', 'same')).toBe(0);
  });

  it('prefer another spelling of the same word', () => {
    expect(likelyKey('ROOM-TYPE', ['type', 'roomType'])).toBe('roomType');
    expect(likelyKey('', ['style'])).toBeUndefined();
  });
});
