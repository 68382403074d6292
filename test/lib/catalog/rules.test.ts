import { describe, expect, it } from 'vitest';
import { acceptedPlan, refusedPlan } from './plan.ts';

const settings = (slug: string, options?: Record<string, unknown>) => acceptedPlan(slug, options).settings;
const instruction = (slug: string, options?: Record<string, unknown>) =>
  acceptedPlan(slug, options).instruction;

describe('options that apply only with another one', () => {
  it('a sink style applies to a sink', () => {
    expect(settings('kitchen-fixtures', { kitchenSinkStyle: 'drop-in' })).toEqual({
      kitchenFixtureType: 'kitchen-faucet',
      fixtureFinish: 'brushed-nickel',
    });
    const sink = { kitchenFixtureType: 'kitchen-sink', kitchenSinkStyle: 'drop-in' };
    expect(settings('kitchen-fixtures', sink)).toMatchObject(sink);
  });

  it('bathroom styles apply to their fixture', () => {
    expect(settings('bathroom-fixtures', { bathroomFixtureType: 'bathtub' })).toEqual({
      bathroomFixtureType: 'bathtub',
      bathtubStyle: 'freestanding',
      fixtureFinish: 'brushed-nickel',
    });
    const sink = settings('bathroom-fixtures', { bathroomFixtureType: 'bathroom-sink' });
    expect(sink).toMatchObject({ bathroomSinkStyle: 'undermount' });
    expect(sink).not.toHaveProperty('bathtubStyle');
  });

  it('are checked even where they do not apply', () => {
    expect(refusedPlan('kitchen-fixtures', { kitchenSinkStyle: 'trough' })).toContain('kitchenSinkStyle');
  });

  it('a pool has a shape and a deck, a removed pool a replacement', () => {
    expect(settings('pool', { replacementType: 'lawn' })).toEqual({
      poolAction: 'add',
      poolShape: 'rectangular',
      deckMaterial: 'stone',
    });
    expect(settings('pool', { poolAction: 'convert' })).toHaveProperty('poolShape');
    expect(settings('pool', { poolAction: 'remove', poolShape: 'round' })).toEqual({
      poolAction: 'remove',
      replacementType: 'auto-blend',
    });
  });

  it('additionType alone decides what is added', () => {
    const shed = { additionType: 'shed' };
    expect(acceptedPlan('exterior-additions', { ...shed, additionCategory: 'hardscape' })).toEqual(
      acceptedPlan('exterior-additions', shed),
    );
  });

  it('hasExisting replaces instead of adding', () => {
    for (const slug of ['exterior-additions', 'outdoor-living']) {
      expect(instruction(slug)).toMatch(/replaces nothing/);
      expect(instruction(slug, { hasExisting: 'true' })).toMatch(/replaces the similar structure/);
      expect(refusedPlan(slug, { hasExisting: true })).toContain('the string "true" or "false"');
    }
  });
});

describe('furniture', () => {
  it('follows the description instead of objectType and style', () => {
    const options = { objectType: 'sofa', style: 'luxury', roomType: 'bedroom', description: 'a blue pouf' };
    expect(settings('add-furniture-object', options)).toEqual({
      roomType: 'bedroom',
      description: 'a blue pouf',
    });
    expect(instruction('add-furniture-object', options)).toMatch(
      /The room is a bedroom\.[\s\S]*\ndescription: a blue pouf\n/,
    );
  });

  it('adds the objectType in its style, or lets the model choose', () => {
    expect(instruction('add-furniture-object', { objectType: 'accent-chair', style: 'coastal' })).toMatch(
      /one accent chair\.\nDesign the piece in coastal style/,
    );
    expect(instruction('add-furniture-object')).toMatch(/the piece of furniture that the room lacks most/);
  });

  it('ignores placement', () => {
    expect(acceptedPlan('add-furniture-object', { placement: 'replace' })).toEqual(
      acceptedPlan('add-furniture-object'),
    );
  });

  it('replaces only the named pieces, without a style', () => {
    const named = { description: 'the two armchairs', style: 'luxury' };
    expect(settings('furniture-replacement', named)).toEqual({
      roomType: 'living-room',
      description: 'the two armchairs',
    });
    expect(instruction('furniture-replacement', named)).not.toContain('luxur');
    expect(instruction('furniture-replacement')).toMatch(/every piece .* in modern style/);
  });

  it('accepts a description of at most 500 characters', () => {
    for (const slug of ['add-furniture-object', 'furniture-replacement']) {
      acceptedPlan(slug, { description: 'x'.repeat(500) });
      expect(refusedPlan(slug, { description: 'x'.repeat(501) })).toContain('at most 500 characters');
      expect(settings(slug, { tier: 'auto', description: 'x'.repeat(501) }).description).toHaveLength(500);
    }
  });

  it('ignores a blank description', () => {
    expect(acceptedPlan('add-furniture-object', { description: ' \n' })).toEqual(
      acceptedPlan('add-furniture-object'),
    );
  });

  it.each(['#A1b2C3', '#000000'])('recolors to %s', (targetColor) => {
    expect(settings('furniture-facelift', { targetColor })).toEqual({ changeType: 'recolor', targetColor });
  });

  it.each(['red', '#fff', '#12345g', '#1234567', '123456', '#123456\n', ' #123456', '', 0xffffff])(
    'does not recolor to %j',
    (targetColor) => {
      expect(refusedPlan('furniture-facelift', { targetColor })).toContain('#RRGGBB');
    },
  );
});

describe('free text', () => {
  it('reads hyphens as spaces where the contract says so', () => {
    expect(settings('countertop-replacement', { countertopTone: 'calacatta-gold' })).toMatchObject({
      countertopTone: 'calacatta gold',
    });
    expect(settings('backsplash-update', { backsplashTone: 'sage-green' })).toMatchObject({
      backsplashTone: 'sage green',
    });
    expect(instruction('bathroom-tile', { tileTone: 'off--white' })).toContain('\ntile tone: off white\n');
  });

  it('keeps hyphens in a description', () => {
    const description = 'a built-in bench';
    expect(settings('add-furniture-object', { description })).toEqual({ description });
  });

  it('must be a string', () => {
    expect(refusedPlan('countertop-replacement', { countertopTone: 3 })).toContain('countertopTone');
  });
});

describe('facade', () => {
  it('auto suits the building, plaster is plaster', () => {
    expect(instruction('construction-exterior')).toMatch(/suits the style and the building/);
    expect(instruction('construction-exterior', { facadeMaterial: 'plaster' })).toContain(
      'smooth plaster on the whole facade',
    );
  });
});

describe('festive-flip', () => {
  it.each([
    ['christmas', 'american'],
    ['halloween', 'american'],
    ['easter', 'western'],
  ])('decorates for %s in the %s style by default', (holiday, holidayRegion) => {
    expect(settings('festive-flip', { holiday })).toMatchObject({ holiday, holidayRegion });
  });

  it('ignores a region that the holiday does not have, without a warning', () => {
    const plan = acceptedPlan('festive-flip', { holiday: 'easter', holidayRegion: 'american' });
    expect(plan).toEqual(acceptedPlan('festive-flip', { holiday: 'easter' }));
  });

  it('accepts a region that the holiday has', () => {
    const mexican = { holiday: 'halloween', holidayRegion: 'mexican' };
    expect(settings('festive-flip', mexican)).toMatchObject(mexican);
  });

  it('has holidays without regions', () => {
    expect(settings('festive-flip', { holiday: 'diwali', holidayRegion: 'american' })).not.toHaveProperty(
      'holidayRegion',
    );
  });

  it('accepts an unknown holiday in auto', () => {
    const unknown = { tier: 'auto', holiday: '__proto__', holidayRegion: 'constructor' };
    expect(settings('festive-flip', unknown)).toEqual({ holiday: '__proto__', intensity: 'balanced' });
  });
});
