/** Value sets that several tools share, in the order in which they are displayed. */

export const STYLE = [
  'modern',
  'traditional',
  'farmhouse',
  'scandinavian',
  'mid-century-modern',
  'coastal',
  'industrial',
  'luxury',
  'minimalist',
  'bohemian',
] as const;

/** The same styles in the order of two other tools. */
export const STYLE_BY_USE = [
  'modern',
  'scandinavian',
  'industrial',
  'traditional',
  'minimalist',
  'bohemian',
  'mid-century-modern',
  'coastal',
  'farmhouse',
  'luxury',
] as const;

export const STYLE_WIDE = [...STYLE_BY_USE, 'japandi', 'art-deco', 'mediterranean'] as const;

export const FINISH = [
  'chrome',
  'brushed-nickel',
  'matte-black',
  'gold-brass',
  'copper',
  'oil-rubbed-bronze',
  'stainless-steel',
] as const;

export const SEASON = ['spring', 'summer', 'fall', 'winter'] as const;

export const WOOD_TONE = ['natural-wood', 'white', 'black', 'gray', 'dark-wood', 'navy'] as const;
