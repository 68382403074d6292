import { keepPlot } from '../keep/exterior.ts';
import { worded } from '../options.ts';
import type { ToolEntry } from '../tool-spec.ts';

const POOL_SHAPE = {
  rectangular: 'rectangular',
  freeform: 'freeform, with soft curves',
  lap: 'a long, narrow lap pool',
  plunge: 'a small, deep plunge pool',
} as const;

const DECK_MATERIAL = {
  stone: 'natural stone paving',
  concrete: 'smooth concrete',
  wood: 'wood decking',
  travertine: 'travertine paving',
} as const;

const POOL_REPLACEMENT = {
  lawn: 'an even lawn',
  patio: 'a paved patio',
  garden: 'planted garden beds',
  'natural-landscape': 'natural landscape with native grasses, shrubs and stones',
} as const;

const BUILT = { appliesWhen: { poolAction: ['add', 'convert'] } } as const;

const WATER =
  'The pool has clear water, an even coping and plausible depth, fits the garden at real-world size and in correct perspective, and mirrors its surroundings.';

const YARD = keepPlot('lawn', 'planting', 'paths', 'structures');

/** Tools that add, change or remove a pool. */
export const POOL_TOOLS: readonly ToolEntry[] = [
  {
    slug: 'pool',
    title: 'Pool',
    description: 'Adds, converts or removes a pool.',
    customPrompt: 'not read',
    options: {
      poolAction: worded(
        'Whether to add, convert or remove a pool.',
        {
          add: 'build a new pool where it fits naturally',
          convert: 'rebuild the existing pool in its place',
          remove: 'remove the existing pool with its coping, deck, ladder and equipment',
        },
        'add',
      ),
      poolShape: worded(
        'Shape of the pool.',
        {
          ...POOL_SHAPE,
          kidney: 'kidney-shaped',
          'l-shaped': 'L-shaped',
          'infinity-edge': 'rectangular with an infinity edge',
          round: 'round',
          'figure-8': 'a figure eight',
          'kiddie-wading': 'a shallow wading pool for children',
        },
        'rectangular',
        BUILT,
      ),
      deckMaterial: worded(
        'Deck around the pool.',
        {
          ...DECK_MATERIAL,
          flagstone: 'irregular flagstone',
          brick: 'brick paving',
          porcelain: 'large porcelain pavers',
          bluestone: 'bluestone paving',
        },
        'stone',
        BUILT,
      ),
      replacementType: worded(
        'What replaces a removed pool.',
        {
          'auto-blend': 'whatever suits the rest of the garden best',
          ...POOL_REPLACEMENT,
          'deck-terrace': 'a wood deck terrace',
          'gravel-zen': 'a Zen garden of raked gravel and stones',
        },
        'auto-blend',
        { appliesWhen: { poolAction: ['remove'] } },
      ),
    },
    task: [
      'Change the pool of this garden: {poolAction}.',
      'Shape of the pool: {poolShape}.',
      'Deck around it: {deckMaterial}.',
      'The pool gives way to {replacementType}, blended into its surroundings.',
      { when: { poolShape: 'given' }, text: WATER },
    ],
    craft: [
      'Spas, pergolas, gazebos, terraces away from the pool, large trees and the ways to the house stay.',
    ],
    keep: YARD,
  },
  {
    slug: 'pool-addition',
    title: 'Pool addition',
    description: 'Adds a pool to the garden.',
    customPrompt: 'not read',
    options: {
      poolShape: worded('Shape of the pool.', POOL_SHAPE, 'rectangular'),
      deckMaterial: worded('Deck around the pool.', DECK_MATERIAL, 'stone'),
    },
    task: [
      'Add a pool to the garden in this photo where it fits naturally.',
      'Shape of the pool: {poolShape}.',
      'Deck around it: {deckMaterial}.',
    ],
    craft: [
      WATER,
      'Present spas, pergolas, gazebos, decks, patios, large trees and the ways to the house stay.',
    ],
    keep: YARD,
  },
  {
    slug: 'pool-removal',
    title: 'Pool removal',
    description: 'Removes the pool and restores the ground.',
    customPrompt: 'not read',
    options: { replacementType: worded('What replaces the pool.', POOL_REPLACEMENT, 'lawn') },
    task: [
      'Remove the pool in this photo with its coping, ladder and equipment.',
      'It gives way to {replacementType}, blended into its surroundings.',
    ],
    craft: [
      'The ground runs on level and without a seam; spas, pergolas, gazebos, decks, patios and large trees stay.',
    ],
    keep: YARD,
  },
];
