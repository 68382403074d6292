import { KEEP_STRUCTURE } from '../keep/interior.ts';
import { KEEP_SURROUNDINGS } from '../keep/photo.ts';
import { flag, room, text, worded } from '../options.ts';
import type { ToolGroup } from '../tool-spec.ts';

export const REMOVAL: ToolGroup = {
  id: 'removal',
  title: 'Removal and restoration',
  description: 'Take things out of a photo, or show damage repaired.',
  tools: [
    {
      slug: 'item-removal',
      title: 'Item removal',
      description: 'Removes the named kind of item.',
      customPrompt: 'read',
      aim: 'Remove items from this photo',
      options: {
        removalItem: worded(
          'Kind of item to remove.',
          {
            clutter: 'clutter (loose everyday items, cables and litter)',
            cars: 'cars and other vehicles',
            people: 'people',
            'trash-bins': 'trash bins and bags',
            'power-lines': 'power lines with their poles',
            signs: 'signs and billboards',
            furniture: 'loose furniture',
            'personal-photos': 'personal photos with their frames',
          },
          'clutter',
          { appliesWhen: { description: 'missing' } },
        ),
        description: text('The items in your own words, instead of removalItem.'),
      },
      task: [
        {
          when: { description: 'given' },
          text: "Remove from this photo the items under description in the client's words below, all of them and nothing else.",
        },
        'Remove from this photo all {removalItem}, and nothing else.',
      ],
      craft: [
        'Their shadows and reflections go as well; what is behind them continues in the same material, pattern, perspective and light, and nothing takes their place.',
      ],
      keep: KEEP_SURROUNDINGS,
    },
    {
      slug: 'declutter',
      title: 'Declutter',
      description: 'Tidies a room and leaves its furniture.',
      customPrompt: 'not read',
      options: {
        declutterLevel: worded(
          'How much is removed.',
          {
            light: 'trash and loose items on the floor only',
            standard:
              'loose items on floor, counters, tables and shelves, and visible cables; a few tidy pieces of decor stay',
            thorough: 'every loose item and cable, small decor and personal photos included',
          },
          'standard',
        ),
        roomType: room(),
      },
      task: [
        'Declutter this room, as for a listing photo. Remove {declutterLevel}.',
        'The room is {roomType}.',
      ],
      craft: [
        'Furniture, lamps, rugs, curtains and appliances stay exactly where they are.',
        'Shadows and reflections of what goes disappear as well, and the surfaces that appear are clean and continue in the same material, pattern and light.',
      ],
      keep: KEEP_SURROUNDINGS,
    },
    {
      slug: 'watermark-removal',
      title: 'Watermark removal',
      description: 'Removes overlays from a photo you hold the rights to.',
      customPrompt: 'not read',
      options: {
        removalTarget: worded(
          'Overlay to remove.',
          {
            watermark: 'watermark and logo overlays',
            'date-stamp': 'date and time stamps',
            text: 'text overlays',
            all: 'every overlay: watermarks, logos, stamps and text',
          },
          'watermark',
        ),
      },
      task: ['Remove from this photo {removalTarget}.'],
      craft: [
        'Restore what lies under them from their surroundings, texture and light included, so that no trace or soft patch remains.',
        'Lettering that belongs to the scene, such as street signs and house numbers, stays.',
      ],
      keep: KEEP_SURROUNDINGS,
    },
    {
      slug: 'fire-restoration',
      title: 'Fire restoration',
      description: 'Shows a fire-damaged place restored.',
      customPrompt: 'not read',
      options: {
        restorationLevel: worded(
          'How far it is restored.',
          {
            cleaned: 'soot, stains and debris are gone; the materials are cleaned and stay the same ones',
            restored: 'soot, char and debris are gone; damaged parts are rebuilt as they were',
            renewed: 'damaged rooms and facades are rebuilt with new materials and finishes of the same kind',
          },
          'restored',
        ),
        furnished: flag('Whether burnt furniture is replaced rather than removed.', 'false'),
      },
      task: [
        'Show this fire-damaged place after professional restoration.',
        'How far it goes: {restorationLevel}.',
        {
          when: { furnished: ['true'] },
          text: 'Replace burnt furniture with sound pieces of the same kind, in place.',
        },
        { when: { furnished: ['false'] }, text: 'Remove burnt furniture; sound furniture stays.' },
      ],
      craft: [
        'No soot, smoke stain, char or debris remains; undamaged parts stay as they are, and rebuilt parts match them.',
      ],
      keep: KEEP_STRUCTURE,
    },
    {
      slug: 'water-damage-restoration',
      title: 'Water damage restoration',
      description: 'Shows a water-damaged place restored.',
      customPrompt: 'not read',
      options: {
        restorationLevel: worded(
          'How far it is restored.',
          {
            dried: 'water, mud and stains are gone; the materials are dried, cleaned and stay the same ones',
            restored: 'water, mold and stains are gone; damaged parts are rebuilt as they were',
            renewed: 'damaged rooms and facades are rebuilt with new materials and finishes of the same kind',
          },
          'restored',
        ),
        furnished: flag('Whether ruined furniture is replaced rather than removed.', 'false'),
      },
      task: [
        'Show this water-damaged place after professional restoration.',
        'How far it goes: {restorationLevel}.',
        {
          when: { furnished: ['true'] },
          text: 'Replace ruined furniture with sound pieces of the same kind, in place.',
        },
        { when: { furnished: ['false'] }, text: 'Remove ruined furniture; sound furniture stays.' },
      ],
      craft: [
        'No standing water, tide mark, mold, swelling or peeling paint remains; undamaged parts stay as they are, and rebuilt parts match them.',
      ],
      keep: KEEP_STRUCTURE,
    },
  ],
};
