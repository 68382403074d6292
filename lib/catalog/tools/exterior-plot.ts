import { keepPlot } from '../keep/exterior.ts';
import { choice, flag, worded } from '../options.ts';
import type { ToolEntry } from '../tool-spec.ts';
import { TRUE_SCALE } from '../wording.ts';

/** Tools that build something on the plot around a house. */
export const PLOT_TOOLS: readonly ToolEntry[] = [
  {
    slug: 'driveway-renovation',
    title: 'Driveway renovation',
    description: 'Resurfaces the driveway.',
    customPrompt: 'not read',
    options: {
      material: worded(
        'Surface of the driveway.',
        {
          pavers: 'interlocking pavers with a border course',
          'stamped-concrete': 'stamped concrete in a stone pattern',
          'exposed-aggregate': 'exposed-aggregate concrete',
          'fresh-asphalt': 'fresh, even black asphalt',
        },
        'pavers',
      ),
    },
    task: ['Resurface the driveway in this photo with {material}.'],
    craft: [
      'Its outline and slope stay, with clean edges toward lawn, walkway and street; the pattern follows the perspective, and cars stay parked where they are.',
    ],
    keep: keepPlot('driveway'),
  },
  {
    slug: 'fence-addition',
    title: 'Fence addition',
    description: 'Adds a fence along the plot.',
    customPrompt: 'not read',
    options: {
      fenceType: worded(
        'Kind of fence.',
        {
          'wood-privacy': 'a solid wood privacy fence',
          'wrought-iron': 'a wrought-iron fence',
          'vinyl-white': 'a white vinyl fence',
          'split-rail': 'a split-rail wood fence',
        },
        'wood-privacy',
      ),
    },
    task: ['Add {fenceType} along the boundary of the plot in this photo.'],
    craft: [
      `It follows the terrain on evenly spaced posts, ${TRUE_SCALE}, leaves driveway and paths open and keeps the house in view.`,
    ],
    keep: keepPlot('fences'),
  },
  {
    slug: 'exterior-additions',
    title: 'Exterior additions',
    description: 'Adds one thing to the plot.',
    customPrompt: 'not read',
    options: {
      additionCategory: choice(
        'Grouping of additionType; without effect on the result.',
        ['fencing', 'hardscape', 'buildings'],
        'fencing',
        { appliesWhen: 'never' },
      ),
      additionType: worded(
        'Thing to add.',
        {
          'privacy-fence': 'a solid wood privacy fence',
          'vinyl-fence': 'a vinyl fence',
          'wrought-iron-fence': 'a wrought-iron fence',
          'modern-metal-fence': 'a modern metal fence with horizontal slats',
          'concrete-block-wall': 'a garden wall of concrete block',
          'stone-wall': 'a garden wall of natural stone',
          'stucco-wall': 'a garden wall in stucco',
          'brick-wall': 'a garden wall of brick',
          'driveway-paver': 'a driveway of pavers',
          'driveway-concrete': 'a driveway of concrete',
          'driveway-cobblestone': 'a driveway of cobblestone',
          'walkway-path': 'a garden path to the entrance',
          'retaining-wall': 'a retaining wall along the slope',
          adu: 'an accessory dwelling unit, a small detached house',
          garage: 'a detached garage',
          carport: 'a carport',
          shed: 'a garden shed',
          greenhouse: 'a greenhouse',
        },
        'privacy-fence',
      ),
      hasExisting: flag('Whether to replace a similar existing structure.', 'false'),
    },
    task: [
      'Add exactly one thing to the plot in this photo: {additionType}.',
      {
        when: { hasExisting: ['true'] },
        text: 'It replaces the similar structure that is already there; no second one is built.',
      },
      { when: { hasExisting: ['false'] }, text: 'It is added to what is there and replaces nothing.' },
    ],
    craft: [
      `It stands where it can be built and reached, ${TRUE_SCALE}, in materials and proportions that suit the house.`,
      'Pools, spas, pergolas, gazebos, decks and patios stay exactly as they are.',
    ],
    keep: keepPlot('driveway', 'paths', 'fences', 'structures'),
  },
];
