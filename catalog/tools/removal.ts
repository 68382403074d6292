import { KEEP_STRUCTURE, KEEP_SUBJECT } from '../keep.ts';
import { choice, flag, room, text } from '../options.ts';
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
      options: {
        removalItem: choice(
          'Kind of item to remove.',
          ['clutter', 'cars', 'people', 'trash-bins', 'power-lines', 'signs', 'furniture', 'personal-photos'],
          'clutter',
          { appliesWhen: { description: 'missing' } },
        ),
        description: text('The items in your own words, instead of removalItem.'),
      },
      task: [
        'Remove these items from the photo, all of them and nothing else: "{description}".',
        'Remove these items from the photo, all of them and nothing else: {removalItem}.',
        'Remove their shadows and reflections as well and continue what is behind them plausibly.',
      ],
      keep: KEEP_SUBJECT,
    },
    {
      slug: 'declutter',
      title: 'Declutter',
      description: 'Tidies a room and leaves its furniture.',
      customPrompt: 'not read',
      options: {
        declutterLevel: choice('How much is removed.', ['light', 'standard', 'thorough'], 'standard', {
          wording: {
            light: 'trash and loose items on the floor only',
            standard: 'loose items on floor, counters and tables; a few tidy pieces of decor stay',
            thorough: 'every loose item, small decor and personal photos included',
          },
        }),
        roomType: room(),
      },
      task: [
        'Tidy this photo. Remove: {declutterLevel}.',
        'The room: {roomType}.',
        'Furniture, lamps, curtains and appliances stay where they are; surfaces that appear are clean and continuous.',
      ],
      keep: KEEP_SUBJECT,
    },
    {
      slug: 'watermark-removal',
      title: 'Watermark removal',
      description: 'Removes overlays from a photo you hold the rights to.',
      customPrompt: 'not read',
      options: {
        removalTarget: choice('Overlay to remove.', ['watermark', 'date-stamp', 'text', 'all'], 'watermark', {
          wording: {
            watermark: 'watermark and logo overlays',
            'date-stamp': 'date and time stamps',
            text: 'text overlays',
            all: 'every overlay: watermarks, logos, stamps and text',
          },
        }),
      },
      task: [
        'Remove from this photo: {removalTarget}. Restore what is under them from their surroundings.',
        'Lettering that belongs to the scene, such as street signs and house numbers, stays.',
      ],
      keep: KEEP_SUBJECT,
    },
    {
      slug: 'fire-restoration',
      title: 'Fire restoration',
      description: 'Shows a fire-damaged place restored.',
      customPrompt: 'not read',
      options: {
        restorationLevel: choice('How far it is restored.', ['cleaned', 'restored', 'renewed'], 'restored', {
          wording: {
            cleaned: 'soot and debris removed, materials as they were',
            restored: 'soot, char and debris removed and damaged parts rebuilt as they were',
            renewed: 'rebuilt with new materials and finishes of the same kind',
          },
        }),
        furnished: flag('Whether burnt furniture is replaced rather than removed.', 'false'),
      },
      task: [
        'Show this fire-damaged place after restoration: {restorationLevel}.',
        { when: { furnished: ['true'] }, text: 'Replace burnt furniture by sound pieces of the same kind.' },
        { when: { furnished: ['false'] }, text: 'Remove burnt furniture.' },
        'No soot, smoke stain, char or debris remains.',
      ],
      keep: KEEP_STRUCTURE,
    },
    {
      slug: 'water-damage-restoration',
      title: 'Water damage restoration',
      description: 'Shows a water-damaged place restored.',
      customPrompt: 'not read',
      options: {
        restorationLevel: choice('How far it is restored.', ['dried', 'restored', 'renewed'], 'restored', {
          wording: {
            dried: 'water, mud and stains removed, materials as they were',
            restored: 'water, mold and stains removed and damaged parts rebuilt as they were',
            renewed: 'rebuilt with new materials and finishes of the same kind',
          },
        }),
        furnished: flag('Whether ruined furniture is replaced rather than removed.', 'false'),
      },
      task: [
        'Show this water-damaged place after restoration: {restorationLevel}.',
        { when: { furnished: ['true'] }, text: 'Replace ruined furniture by sound pieces of the same kind.' },
        { when: { furnished: ['false'] }, text: 'Remove ruined furniture.' },
        'No standing water, tide mark, mold, swelling or peeling paint remains.',
      ],
      keep: KEEP_STRUCTURE,
    },
  ],
};
