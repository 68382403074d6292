import { KEEP_PLOT } from '../keep.ts';
import { choice } from '../options.ts';
import type { ToolEntry } from '../tool-spec.ts';

const POOL_SHAPE = ['rectangular', 'freeform', 'lap', 'plunge'] as const;
const DECK_MATERIAL = ['stone', 'concrete', 'wood', 'travertine'] as const;
const POOL_REPLACEMENT = ['lawn', 'patio', 'garden', 'natural-landscape'] as const;

const BUILT = { appliesWhen: { poolAction: ['add', 'convert'] } } as const;

const WATER =
  'The water is clear, the coping even, and depth, reflections and shadows agree with the light of the photo.';

/** Tools that add, change or remove a pool. */
export const POOL_TOOLS: readonly ToolEntry[] = [
  {
    slug: 'pool',
    title: 'Pool',
    description: 'Adds, converts or removes a pool.',
    customPrompt: 'not read',
    options: {
      poolAction: choice('Whether to add, convert or remove a pool.', ['add', 'convert', 'remove'], 'add', {
        wording: {
          add: 'build a new pool where it fits naturally',
          convert: 'rebuild the existing pool',
          remove: 'remove the existing pool with its coping and equipment',
        },
      }),
      poolShape: choice(
        'Shape of the pool.',
        [...POOL_SHAPE, 'kidney', 'l-shaped', 'infinity-edge', 'round', 'figure-8', 'kiddie-wading'],
        'rectangular',
        {
          ...BUILT,
          wording: { 'l-shaped': 'L-shaped', 'figure-8': 'figure-eight', 'infinity-edge': 'infinity edge' },
        },
      ),
      deckMaterial: choice(
        'Deck around the pool.',
        [...DECK_MATERIAL, 'flagstone', 'brick', 'porcelain', 'bluestone'],
        'stone',
        BUILT,
      ),
      replacementType: choice(
        'What replaces a removed pool.',
        ['auto-blend', ...POOL_REPLACEMENT, 'deck-terrace', 'gravel-zen'],
        'auto-blend',
        {
          appliesWhen: { poolAction: ['remove'] },
          wording: {
            'auto-blend': 'whatever blends best with its surroundings',
            'gravel-zen': 'Zen gravel garden',
          },
        },
      ),
    },
    task: [
      'Change the pool situation of this garden: {poolAction}.',
      'The shape of the pool: {poolShape}.',
      'The deck around it: {deckMaterial}.',
      'In its place comes: {replacementType}.',
      { when: { poolShape: 'given' }, text: WATER },
    ],
    keep: KEEP_PLOT,
  },
  {
    slug: 'pool-addition',
    title: 'Pool addition',
    description: 'Adds a pool to the garden.',
    customPrompt: 'not read',
    options: {
      poolShape: choice('Shape of the pool.', POOL_SHAPE, 'rectangular'),
      deckMaterial: choice('Deck around the pool.', DECK_MATERIAL, 'stone'),
    },
    task: [
      'Add a pool to the garden in this photo where it fits naturally. Its shape: {poolShape}. The deck around it: {deckMaterial}.',
      WATER,
    ],
    keep: KEEP_PLOT,
  },
  {
    slug: 'pool-removal',
    title: 'Pool removal',
    description: 'Removes the pool and restores the ground.',
    customPrompt: 'not read',
    options: { replacementType: choice('What replaces the pool.', POOL_REPLACEMENT, 'lawn') },
    task: [
      'Remove the pool in this photo with its coping, ladder and equipment. In its place comes: {replacementType}, blended into its surroundings.',
    ],
    keep: KEEP_PLOT,
  },
];
