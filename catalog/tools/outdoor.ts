import { KEEP_PLOT } from '../keep.ts';
import { choice, flag } from '../options.ts';
import type { ToolEntry } from '../tool-spec.ts';
import { POOL_TOOLS } from './pool.ts';

/** Tools for the garden around a house. */
export const OUTDOOR_TOOLS: readonly ToolEntry[] = [
  {
    slug: 'patio-design',
    title: 'Patio design',
    description: 'Designs and furnishes the patio.',
    customPrompt: 'not read',
    options: {
      patioStyle: choice(
        'Kind of patio.',
        ['modern-lounge', 'dining-entertainment', 'cozy-firepit', 'garden-retreat'],
        'modern-lounge',
        {
          wording: {
            'modern-lounge': 'modern lounge with deep seating',
            'dining-entertainment': 'dining and entertainment with a table for guests',
            'cozy-firepit': 'cozy seating around a fire pit',
            'garden-retreat': 'quiet garden retreat among plants',
          },
        },
      ),
    },
    task: ['Design and furnish the patio in this photo as: {patioStyle}. It keeps its place and outline.'],
    keep: KEEP_PLOT,
  },
  {
    slug: 'outdoor-living',
    title: 'Outdoor living',
    description: 'Adds one outdoor structure.',
    customPrompt: 'not read',
    options: {
      structureType: choice(
        'Structure to add.',
        [
          'pergola',
          'gazebo',
          'patio-cover',
          'deck',
          'patio',
          'outdoor-kitchen',
          'fire-pit',
          'outdoor-fireplace',
          'hot-tub',
          'sunroom',
        ],
        'pergola',
      ),
      hasExisting: flag('Whether to replace a similar existing structure.', 'false'),
    },
    task: [
      'Add one outdoor structure to this photo: {structureType}.',
      { when: { hasExisting: ['true'] }, text: 'It replaces the similar structure that is already there.' },
      { when: { hasExisting: ['false'] }, text: 'It is added to what is there and replaces nothing.' },
      'It stands where it can be built and used, at real-world size, in materials that suit the house.',
    ],
    keep: KEEP_PLOT,
  },
  {
    slug: 'landscaping',
    title: 'Landscaping',
    description: 'Replants the garden in one style.',
    customPrompt: 'not read',
    options: {
      landscapeStyle: choice(
        'Style of the garden.',
        [
          'lush-traditional',
          'modern-minimal',
          'desert-xeriscape',
          'tropical',
          'cottage-garden',
          'japanese-zen',
          'mediterranean',
          'english-country',
          'formal-classical',
          'coastal',
          'prairie-wildflower',
          'rustic-woodland',
        ],
        'lush-traditional',
        {
          wording: {
            'japanese-zen': 'Japanese Zen garden',
            mediterranean: 'Mediterranean',
            'english-country': 'English country garden',
          },
        },
      ),
    },
    task: [
      'Landscape the garden in this photo in this style: {landscapeStyle}. Renew lawn, beds, shrubs, trees and paths with plants that grow together.',
      'Pools, spas, pergolas, gazebos, decks and patios stay as they are.',
    ],
    keep: KEEP_PLOT,
  },
  {
    slug: 'lawn-enhancement',
    title: 'Lawn enhancement',
    description: 'Makes the lawn green, dense and freshly cut.',
    customPrompt: 'not read',
    options: {},
    task: [
      'Make the lawn in this photo healthy: evenly green, dense and freshly cut, without bare patches, weeds or leaves.',
      'Only grass that is there is improved; beds, paving and bare ground that is no lawn stay.',
    ],
    keep: KEEP_PLOT,
  },
  ...POOL_TOOLS,
];
