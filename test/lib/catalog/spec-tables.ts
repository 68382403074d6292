/** The contract's tables, copied from the contract rather than from the catalogue. */

export const SLUGS: readonly [slug: string, images: 1 | 2, customPrompt: 'read' | 'not read'][] = [
  ['virtual-staging', 1, 'not read'],
  ['empty-your-space', 1, 'not read'],
  ['empty-your-space-advanced', 1, 'not read'],
  ['add-furniture-object', 1, 'not read'],
  ['furniture-replacement', 1, 'not read'],
  ['furniture-facelift', 1, 'not read'],
  ['virtual-renovation', 1, 'read'],
  ['wall-color-change', 1, 'not read'],
  ['wall-treatment', 1, 'read'],
  ['flooring-replacement', 1, 'read'],
  ['restyle-surfaces', 1, 'read'],
  ['fireplace-renovation', 1, 'read'],
  ['staircase-railing', 1, 'read'],
  ['ceiling-fan', 1, 'read'],
  ['lighting-update', 1, 'read'],
  ['door-update', 1, 'read'],
  ['construction-interior', 1, 'not read'],
  ['cabinet-replacement', 1, 'read'],
  ['countertop-replacement', 1, 'read'],
  ['backsplash-update', 1, 'read'],
  ['kitchen-fixtures', 1, 'read'],
  ['bathroom-fixtures', 1, 'read'],
  ['bathroom-tile', 1, 'read'],
  ['image-enhancement', 1, 'read'],
  ['hdr-enhancement', 1, 'not read'],
  ['color-correction', 1, 'not read'],
  ['lighting-adjustment', 1, 'not read'],
  ['noise-reduction', 1, 'not read'],
  ['lens-correction', 1, 'not read'],
  ['perspective-correction', 1, 'not read'],
  ['image-upscaling', 1, 'not read'],
  ['4k-upscale', 2, 'not read'],
  ['sky-replacement', 1, 'not read'],
  ['window-view-replacement', 1, 'not read'],
  ['background-replacement', 1, 'not read'],
  ['aerial-photo-editing', 1, 'not read'],
  ['portrait-retouching', 1, 'not read'],
  ['property-highlight', 1, 'not read'],
  ['day-to-dusk', 1, 'read'],
  ['day-to-dusk-exterior', 1, 'read'],
  ['seasonal-changes', 1, 'not read'],
  ['festive-flip', 1, 'not read'],
  ['item-removal', 1, 'read'],
  ['declutter', 1, 'not read'],
  ['watermark-removal', 1, 'not read'],
  ['fire-restoration', 1, 'not read'],
  ['water-damage-restoration', 1, 'not read'],
  ['exterior-renovation', 1, 'not read'],
  ['construction-exterior', 1, 'not read'],
  ['roof-replacement', 1, 'not read'],
  ['driveway-renovation', 1, 'not read'],
  ['fence-addition', 1, 'not read'],
  ['exterior-additions', 1, 'not read'],
  ['garage-renovation', 1, 'not read'],
  ['patio-design', 1, 'not read'],
  ['outdoor-living', 1, 'not read'],
  ['landscaping', 1, 'not read'],
  ['lawn-enhancement', 1, 'not read'],
  ['pool', 1, 'not read'],
  ['pool-addition', 1, 'not read'],
  ['pool-removal', 1, 'not read'],
  ['floor-plan-to-3d', 1, 'read'],
  ['sketch-to-floor-plan', 1, 'not read'],
  ['floor-plan-colorize', 1, 'not read'],
  ['floor-plan-visualize', 1, 'not read'],
];

const FINISH = 'chrome, brushed-nickel, matte-black, gold-brass, copper, oil-rubbed-bronze, stainless-steel';
const ROOM = 'living-room, bedroom, kitchen, dining-room, bathroom, home-office, kids-room, studio';
const STYLE_A =
  'modern, traditional, farmhouse, scandinavian, mid-century-modern, coastal, industrial, luxury, minimalist, bohemian';

type Row = readonly [key: string, values: string, defaultValue: string | null];

/** Options with listed values: tool, then key, values in order, default. */
export const CHOICES: Readonly<Record<string, readonly Row[]>> = {
  'exterior-renovation': [['style', STYLE_A, 'modern']],
  'construction-exterior': [
    [
      'style',
      'modern, scandinavian, industrial, traditional, minimalist, bohemian, mid-century-modern, coastal, farmhouse, luxury, japandi, art-deco, mediterranean',
      'modern',
    ],
    ['facadeMaterial', 'auto, plaster, brick, glass, wood-cladding, natural-stone, composite-panel', 'auto'],
  ],
  'roof-replacement': [
    [
      'material',
      'architectural-shingle, metal-standing-seam, clay-tile, slate, cedar-shake',
      'architectural-shingle',
    ],
  ],
  'driveway-renovation': [
    ['material', 'pavers, stamped-concrete, exposed-aggregate, fresh-asphalt', 'pavers'],
  ],
  'fence-addition': [['fenceType', 'wood-privacy, wrought-iron, vinyl-white, split-rail', 'wood-privacy']],
  'exterior-additions': [
    ['additionCategory', 'fencing, hardscape, buildings', 'fencing'],
    [
      'additionType',
      'privacy-fence, vinyl-fence, wrought-iron-fence, modern-metal-fence, concrete-block-wall, stone-wall, stucco-wall, brick-wall, driveway-paver, driveway-concrete, driveway-cobblestone, walkway-path, retaining-wall, adu, garage, carport, shed, greenhouse',
      'privacy-fence',
    ],
    ['hasExisting', 'true, false', 'false'],
  ],
  'garage-renovation': [
    ['conversionType', 'organized-storage, workshop, home-gym, studio', 'organized-storage'],
  ],
  'patio-design': [
    ['patioStyle', 'modern-lounge, dining-entertainment, cozy-firepit, garden-retreat', 'modern-lounge'],
  ],
  'outdoor-living': [
    [
      'structureType',
      'pergola, gazebo, patio-cover, deck, patio, outdoor-kitchen, fire-pit, outdoor-fireplace, hot-tub, sunroom',
      'pergola',
    ],
    ['hasExisting', 'true, false', 'false'],
  ],
  landscaping: [
    [
      'landscapeStyle',
      'lush-traditional, modern-minimal, desert-xeriscape, tropical, cottage-garden, japanese-zen, mediterranean, english-country, formal-classical, coastal, prairie-wildflower, rustic-woodland',
      'lush-traditional',
    ],
  ],
  'lawn-enhancement': [],
  pool: [
    ['poolAction', 'add, convert, remove', 'add'],
    [
      'poolShape',
      'rectangular, freeform, lap, plunge, kidney, l-shaped, infinity-edge, round, figure-8, kiddie-wading',
      'rectangular',
    ],
    ['deckMaterial', 'stone, concrete, wood, travertine, flagstone, brick, porcelain, bluestone', 'stone'],
    [
      'replacementType',
      'auto-blend, lawn, patio, garden, natural-landscape, deck-terrace, gravel-zen',
      'auto-blend',
    ],
  ],
  'pool-addition': [
    ['poolShape', 'rectangular, freeform, lap, plunge', 'rectangular'],
    ['deckMaterial', 'stone, concrete, wood, travertine', 'stone'],
  ],
  'pool-removal': [['replacementType', 'lawn, patio, garden, natural-landscape', 'lawn']],
  'cabinet-replacement': [
    ['cabinetStyle', 'modern-flat, shaker, traditional-raised, glass-front, open-shelving', 'shaker'],
    ['cabinetColor', 'white, cream, natural-wood, dark-wood, gray, navy, sage-green, matte-black', 'white'],
  ],
  'countertop-replacement': [
    [
      'countertopMaterial',
      'granite, quartz, marble, butcher-block, concrete, laminate, soapstone, stainless-steel',
      'quartz',
    ],
  ],
  'backsplash-update': [
    [
      'backsplashMaterial',
      'subway-tile, mosaic, marble-slab, glass, ceramic, patterned-tile, natural-stone, brick',
      'subway-tile',
    ],
  ],
  'kitchen-fixtures': [
    [
      'kitchenFixtureType',
      'kitchen-faucet, kitchen-sink, range-hood, garbage-disposal-unit',
      'kitchen-faucet',
    ],
    ['kitchenSinkStyle', 'undermount, farmhouse-apron, drop-in, workstation, double-bowl', 'undermount'],
    ['fixtureFinish', FINISH, 'brushed-nickel'],
  ],
  'bathroom-fixtures': [
    [
      'bathroomFixtureType',
      'bathroom-faucet, bathroom-sink, shower-system, bathtub, toilet, towel-bar',
      'bathroom-faucet',
    ],
    ['bathroomSinkStyle', 'undermount, vessel, pedestal, wall-mounted, console', 'undermount'],
    ['bathtubStyle', 'freestanding, alcove, clawfoot, drop-in, corner', 'freestanding'],
    ['fixtureFinish', FINISH, 'brushed-nickel'],
  ],
  'bathroom-tile': [
    ['bathroomTileArea', 'shower-surround, tub-surround, bathroom-floor, full-bathroom', 'shower-surround'],
    ['tileStyle', 'ceramic, porcelain, marble, subway, mosaic, natural-stone, large-format', 'ceramic'],
  ],
  'add-furniture-object': [
    ['roomType', ROOM, null],
    ['objectType', 'sofa, dining-table, bed, desk, bookshelf, accent-chair, coffee-table, nightstand', null],
    ['style', STYLE_A, null],
    ['placement', 'empty, replace, on-surface', 'empty'],
  ],
  'furniture-replacement': [
    ['roomType', ROOM, 'living-room'],
    [
      'style',
      'modern, scandinavian, industrial, traditional, minimalist, bohemian, mid-century-modern, coastal, farmhouse, luxury',
      'modern',
    ],
  ],
  'furniture-facelift': [['changeType', 'recolor, refabric, refinish', 'recolor']],
};

/** Options without listed values: tool, key, type. */
export const FREE: readonly [tool: string, key: string, type: RegExp, defaultValue: string | null][] = [
  ['countertop-replacement', 'countertopTone', /text.*hyphens read as spaces/, null],
  ['backsplash-update', 'backsplashTone', /text.*hyphens read as spaces/, null],
  ['bathroom-tile', 'tileTone', /text.*hyphens read as spaces/, null],
  ['add-furniture-object', 'description', /at most 500/, null],
  ['furniture-replacement', 'description', /at most 500/, null],
  ['furniture-facelift', 'targetColor', /#RRGGBB/, '#FFFFFF'],
];

/** Keys the contract names without their values. */
export const NAMED: readonly [tool: string, keys: readonly string[]][] = [
  [
    'floor-plan-to-3d',
    [
      'fp3dOutdoor',
      'fp3dLabels',
      'inputType',
      'outputStyle',
      'interiorStyle',
      'furnitureMode',
      'view',
      'style',
    ],
  ],
  ['sketch-to-floor-plan', ['pageSize', 'preserve']],
  ['festive-flip', ['holidayRegion']],
  ['day-to-dusk', ['hasWindows']],
  ['day-to-dusk-exterior', ['timeShift', 'season']],
  ['watermark-removal', ['removalTarget']],
  ['virtual-staging', ['style', 'roomType']],
];

/** Tables that list every key of their tool. */
export const COMPLETE = Object.keys(CHOICES);
