import { describe, expect, test } from 'vitest';
import { likelyTool } from '../../../lib/catalog/catalog.ts';

const always = () => true;

describe('the tool that was probably meant', () => {
  test.each([
    ['Virtual Staging', 'virtual-staging'],
    ['virtual_staging', 'virtual-staging'],
    ['virtualStagin', 'virtual-staging'],
    ['staging', 'virtual-staging'],
    ['DECLUTER', 'declutter'],
    ['wall-colour-change', 'wall-color-change'],
    ['roof', 'roof-replacement'],
    ['replace-sky', 'sky-replacement'],
    ['remove-watermark', 'watermark-removal'],
    ['Floor plan 3D', 'floor-plan-to-3d'],
    ['kitchen', 'kitchen-fixtures'],
    ['Pool ', 'pool'],
    ['swimming-pool', 'pool'],
    ['twilight', 'day-to-dusk-exterior'],
  ])('of %j is %s', (sent, slug) => {
    expect(likelyTool(sent, always)).toBe(slug);
  });

  test.each(['', ' ', 'xyzzy', '__proto__', 'toString', '\0', '\u{1F3E0}', `pool-${'l'.repeat(40)}`])(
    'of %j is unknown',
    (sent) => {
      expect(likelyTool(sent, always)).toBeUndefined();
    },
  );

  test('is never one that is not offered', () => {
    expect(likelyTool('twilight', (slug) => slug !== 'day-to-dusk-exterior')).toBe('day-to-dusk');
    expect(likelyTool('Pool', () => false)).toBeUndefined();
  });
});
