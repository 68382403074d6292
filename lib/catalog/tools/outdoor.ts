import { keepPlot } from '../keep/exterior.ts';
import { flag, worded } from '../options.ts';
import type { ToolEntry } from '../tool-spec.ts';
import { TRUE_SCALE } from '../wording.ts';
import { POOL_TOOLS } from './pool.ts';

/** Tools for the garden around a house. */
export const OUTDOOR_TOOLS: readonly ToolEntry[] = [
  {
    slug: 'patio-design',
    title: 'Patio design',
    description: 'Designs and furnishes the patio.',
    customPrompt: 'not read',
    options: {
      patioStyle: worded(
        'Kind of patio.',
        {
          'modern-lounge': 'a modern lounge with deep seating and a low table',
          'dining-entertainment': 'a place to dine and entertain, with a table for guests and a grill',
          'cozy-firepit': 'cozy seating around a fire pit',
          'garden-retreat': 'a quiet retreat among potted plants, with a bench or lounge chairs',
        },
        'modern-lounge',
      ),
    },
    task: ['Design and furnish the patio in this photo as {patioStyle}.'],
    craft: [
      `The patio keeps its place and outline; its paving, furniture, planters and lamps may be new and stand ${TRUE_SCALE}, with the way to each door free.`,
      'Pools, spas, pergolas, gazebos and decks stay as they are.',
    ],
    keep: keepPlot('structures'),
  },
  {
    slug: 'outdoor-living',
    title: 'Outdoor living',
    description: 'Adds one outdoor structure.',
    customPrompt: 'not read',
    options: {
      structureType: worded(
        'Structure to add.',
        {
          pergola: 'a pergola',
          gazebo: 'a gazebo',
          'patio-cover': 'a patio cover attached to the house',
          deck: 'a deck',
          patio: 'a paved patio',
          'outdoor-kitchen': 'an outdoor kitchen with a grill and counter',
          'fire-pit': 'a fire pit with a seating area',
          'outdoor-fireplace': 'an outdoor fireplace',
          'hot-tub': 'a hot tub',
          sunroom: 'a glazed sunroom attached to the house',
        },
        'pergola',
      ),
      hasExisting: flag('Whether to replace a similar existing structure.', 'false'),
    },
    task: [
      'Add exactly one outdoor structure to this photo: {structureType}.',
      {
        when: { hasExisting: ['true'] },
        text: 'It replaces the similar structure that is already there; no second one is built.',
      },
      { when: { hasExisting: ['false'] }, text: 'It is added to what is there and replaces nothing.' },
    ],
    craft: [
      `It stands where it can be built and used, ${TRUE_SCALE}, in materials that suit the house; doors and paths stay free.`,
      'All other structures of the garden stay as they are.',
    ],
    keep: keepPlot('structures'),
  },
  {
    slug: 'landscaping',
    title: 'Landscaping',
    description: 'Replants the garden in one style.',
    customPrompt: 'not read',
    options: {
      landscapeStyle: worded(
        'Style of the garden.',
        {
          'lush-traditional': 'a lush traditional garden (full lawn, layered shrubs, flowering borders)',
          'modern-minimal': 'a modern minimal garden (clean lines, few species, gravel and grasses)',
          'desert-xeriscape':
            'a desert xeriscape garden (gravel, boulders, agave, cactus, drought-tolerant plants)',
          tropical: 'a tropical garden (palms, large-leaved plants, bright flowers)',
          'cottage-garden': 'a cottage garden (informal, densely planted flower beds)',
          'japanese-zen': 'a Japanese Zen garden (raked gravel, stones, moss, clipped pine and maple)',
          mediterranean: 'a Mediterranean garden (olive, lavender, cypress, terracotta pots, gravel)',
          'english-country': 'an English country garden (sweeping lawn, mixed borders, roses, hedges)',
          'formal-classical': 'a formal classical garden (symmetry, clipped hedges, axial paths)',
          coastal: 'a coastal garden (grasses, hardy shrubs, pale gravel and driftwood tones)',
          'prairie-wildflower': 'a prairie garden (drifts of native grasses and wildflowers)',
          'rustic-woodland': 'a rustic woodland garden (ferns, shade plants, natural stone, native trees)',
        },
        'lush-traditional',
      ),
    },
    task: [
      'Landscape the grounds in this photo as {landscapeStyle}.',
      'What is renewed: lawn, beds, shrubs, small trees and garden paths.',
    ],
    craft: [
      'Plants suit each other and the climate that the photo shows, are healthy and well established, and leave windows, doors and the front of the house in view; large mature trees stay.',
      'Pools, spas, pergolas, gazebos, decks and patios stay exactly as they are.',
    ],
    keep: keepPlot('lawn', 'planting', 'paths'),
  },
  {
    slug: 'lawn-enhancement',
    classical: true,
    title: 'Lawn enhancement',
    description: 'Makes the lawn green, dense and freshly cut.',
    customPrompt: 'not read',
    options: {},
    task: [
      'Make the lawn in this photo healthy: natural, even green, dense and freshly cut, without bare patches, weeds or leaves.',
    ],
    craft: [
      'The outline of the lawn stays, and only grass is improved: ground that is no lawn stays as it is, and shadows keep falling across the grass.',
    ],
    keep: keepPlot('lawn'),
  },
  ...POOL_TOOLS,
];
