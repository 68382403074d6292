import { keepBathroom } from '../keep/interior.ts';
import { fixtureFinish, tone, worded } from '../options.ts';
import type { ToolEntry } from '../tool-spec.ts';

/** Tools for bathrooms. */
export const BATH_TOOLS: readonly ToolEntry[] = [
  {
    slug: 'bathroom-fixtures',
    title: 'Bathroom fixtures',
    description: 'Replaces one bathroom fixture.',
    customPrompt: 'read',
    aim: 'Replace one fixture in this bathroom',
    preset:
      'Replace the bathroom faucet in this photo with a clean-lined single-hole faucet in brushed nickel.',
    options: {
      bathroomFixtureType: worded(
        'Fixture to replace.',
        {
          'bathroom-faucet': 'the faucet at the sink',
          'bathroom-sink': 'the sink',
          'shower-system': 'the shower system (shower head, hand shower and valve trim)',
          bathtub: 'the bathtub',
          toilet: 'the toilet',
          'towel-bar': 'the towel bars',
        },
        'bathroom-faucet',
      ),
      bathroomSinkStyle: worded(
        'Style of the sink.',
        {
          undermount: 'an undermount sink',
          vessel: 'a vessel sink that sits on the counter',
          pedestal: 'a pedestal sink',
          'wall-mounted': 'a wall-mounted sink',
          console: 'a console sink on slim legs',
        },
        'undermount',
        { appliesWhen: { bathroomFixtureType: ['bathroom-sink'] } },
      ),
      bathtubStyle: worded(
        'Style of the bathtub.',
        {
          freestanding: 'a freestanding tub',
          alcove: 'an alcove tub',
          clawfoot: 'a clawfoot tub',
          'drop-in': 'a drop-in tub in a surround',
          corner: 'a corner tub',
        },
        'freestanding',
        { appliesWhen: { bathroomFixtureType: ['bathtub'] } },
      ),
      fixtureFinish,
    },
    task: [
      'Replace one fixture in this bathroom: {bathroomFixtureType}.',
      'The new one is {bathroomSinkStyle}.',
      'The new one is {bathtubStyle}.',
      'Finish of its metal parts: {fixtureFinish}.',
    ],
    craft: [
      'It sits where the old one was, at real-world size, with plausible plumbing; the other fixtures of the bathroom stay.',
    ],
    keep: keepBathroom('bathtub', 'shower', 'toilet', 'sink', 'faucet', 'accessories'),
  },
  {
    slug: 'bathroom-tile',
    title: 'Bathroom tile',
    description: 'Retiles one area of a bathroom, or all of it.',
    customPrompt: 'read',
    aim: 'Retile this bathroom',
    preset:
      'Retile the shower or tub surround in this bathroom with large white ceramic tile with narrow light gray joints.',
    options: {
      bathroomTileArea: worded(
        'Area that is retiled.',
        {
          'shower-surround': 'the shower surround',
          'tub-surround': 'the tub surround',
          'bathroom-floor': 'the floor',
          'full-bathroom': 'all walls and the floor',
        },
        'shower-surround',
      ),
      tileStyle: worded(
        'Kind of tile.',
        {
          ceramic: 'glazed ceramic tile',
          porcelain: 'matte porcelain tile',
          marble: 'polished marble tile',
          subway: 'subway tile in running bond',
          mosaic: 'small mosaic tile',
          'natural-stone': 'honed natural stone tile',
          'large-format': 'large-format tile with few narrow joints',
        },
        'ceramic',
      ),
      tileTone: tone('Color in words.'),
    },
    task: [
      'Retile {bathroomTileArea} of this bathroom with {tileStyle}, and nothing outside that area.',
      { when: { tileTone: 'given' }, text: "Its color is the tile tone in the client's words below." },
    ],
    craft: [
      'Tile size, joints and cut edges are realistic, turn the corners cleanly and follow the perspective.',
    ],
    keep: keepBathroom('walls', 'floor'),
  },
];
