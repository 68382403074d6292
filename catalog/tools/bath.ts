import { KEEP_ROOM } from '../keep.ts';
import { choice, fixtureFinish, tone } from '../options.ts';
import type { ToolEntry } from '../tool-spec.ts';

/** Tools for bathrooms. */
export const BATH_TOOLS: readonly ToolEntry[] = [
  {
    slug: 'bathroom-fixtures',
    title: 'Bathroom fixtures',
    description: 'Replaces one bathroom fixture.',
    customPrompt: 'read',
    preset: 'Replace the bathroom faucet with a clean-lined single-hole faucet in brushed nickel.',
    options: {
      bathroomFixtureType: choice(
        'Fixture to replace.',
        ['bathroom-faucet', 'bathroom-sink', 'shower-system', 'bathtub', 'toilet', 'towel-bar'],
        'bathroom-faucet',
      ),
      bathroomSinkStyle: choice(
        'Style of the sink.',
        ['undermount', 'vessel', 'pedestal', 'wall-mounted', 'console'],
        'undermount',
        { appliesWhen: { bathroomFixtureType: ['bathroom-sink'] } },
      ),
      bathtubStyle: choice(
        'Style of the bathtub.',
        ['freestanding', 'alcove', 'clawfoot', 'drop-in', 'corner'],
        'freestanding',
        { appliesWhen: { bathroomFixtureType: ['bathtub'] } },
      ),
      fixtureFinish,
    },
    task: [
      'Replace one fixture in this bathroom: {bathroomFixtureType}.',
      'The style of the new sink: {bathroomSinkStyle}.',
      'The style of the new bathtub: {bathtubStyle}.',
      'Finish of its metal parts: {fixtureFinish}.',
      'The new one sits where the old one was, at real-world size, with plausible plumbing.',
    ],
    keep: KEEP_ROOM,
  },
  {
    slug: 'bathroom-tile',
    title: 'Bathroom tile',
    description: 'Retiles one area of a bathroom, or all of it.',
    customPrompt: 'read',
    preset: 'Retile the shower or tub surround with large white ceramic tile with narrow light gray joints.',
    options: {
      bathroomTileArea: choice(
        'Area that is retiled.',
        ['shower-surround', 'tub-surround', 'bathroom-floor', 'full-bathroom'],
        'shower-surround',
        {
          wording: {
            'bathroom-floor': 'the bathroom floor',
            'shower-surround': 'the shower surround',
            'tub-surround': 'the tub surround',
            'full-bathroom': 'all walls and the floor of the bathroom',
          },
        },
      ),
      tileStyle: choice(
        'Kind of tile.',
        ['ceramic', 'porcelain', 'marble', 'subway', 'mosaic', 'natural-stone', 'large-format'],
        'ceramic',
      ),
      tileTone: tone('Color in words.'),
    },
    task: [
      'Retile one area in this photo: {bathroomTileArea}. The new tile: {tileStyle}.',
      'Its color: {tileTone}.',
      'Tile size, joints and cut edges are realistic and follow the perspective; fixtures, glass and accessories stay.',
    ],
    keep: KEEP_ROOM,
  },
];
