import { KEEP_ARCHITECTURE } from '../keep.ts';
import { choice, flag, room, style } from '../options.ts';
import type { ToolGroup } from '../tool-spec.ts';
import { ROOM, STYLE_WIDE } from '../values.ts';

export const STAGING: ToolGroup = {
  id: 'staging',
  title: 'Staging',
  description: 'Furnish empty rooms, or empty furnished ones.',
  tools: [
    {
      slug: 'virtual-staging',
      label: 'staged',
      title: 'Virtual staging',
      description: 'Furnishes an empty room in one style. Always rendered at 2K.',
      customPrompt: 'not read',
      ownKeysOnly: true,
      options: {
        style: style('Style of the furniture.', STYLE_WIDE, undefined, { required: true }),
        roomType: choice('Room to furnish it as; detected from the photo when omitted.', [
          ...ROOM,
          'open-plan',
          'entryway',
          'nursery',
          'game-room',
          'home-gym',
          'balcony',
        ]),
        furnishing: choice('How much furniture is placed.', ['sparse', 'standard', 'full'], 'standard', {
          wording: {
            sparse: 'Place the key pieces only and leave generous free floor.',
            standard: 'Place a complete, uncrowded set of furniture.',
            full: 'Furnish fully, with secondary pieces, storage and textiles.',
          },
        }),
        colorPalette: choice('Colors of furniture and textiles.', [
          'neutral',
          'warm',
          'cool',
          'earthy',
          'monochrome',
          'bold',
        ]),
        decor: flag('Whether art, plants and accessories are added.', 'true'),
        existingFurniture: choice('What to do with existing furniture.', ['keep', 'remove'], 'keep', {
          wording: {
            keep: 'Furniture already in the photo stays where it is.',
            remove: 'Take out loose furniture already in the photo first.',
          },
        }),
      },
      task: [
        'Stage this room with {style} furniture for a property listing.',
        'Furnish it as: {roomType}.',
        { when: { roomType: 'missing' }, text: 'Recognize what kind of room it is and furnish it as that.' },
        '{furnishing}',
        'Use a {colorPalette} color palette.',
        {
          when: { decor: ['true'] },
          text: 'Add fitting art, plants, lamps and accessories with restraint.',
        },
        { when: { decor: ['false'] }, text: 'Add furniture only, no decorative accessories.' },
        '{existingFurniture}',
        'Leave doors, passages and windows free and keep furniture to real-world size.',
      ],
      keep: KEEP_ARCHITECTURE,
    },
    {
      slug: 'empty-your-space',
      title: 'Empty your space',
      description: 'Takes all loose furniture and objects out of a room.',
      customPrompt: 'not read',
      options: { roomType: room() },
      task: [
        'Empty this room: remove all loose furniture, rugs, lamps, decor and personal items.',
        'The room: {roomType}.',
        'Continue floor, walls and baseboards behind what was removed and drop its shadows and reflections.',
      ],
      keep: KEEP_ARCHITECTURE,
    },
    {
      slug: 'empty-your-space-advanced',
      title: 'Empty your space, advanced',
      description: 'Empties a crowded room down to its shell, with options for what stays.',
      customPrompt: 'not read',
      options: {
        roomType: room(),
        keepWindowTreatments: flag('Whether curtains and blinds stay.', 'false'),
        keepLightFixtures: flag('Whether ceiling and wall lamps stay.', 'true'),
        keepAppliances: flag('Whether large appliances stay.', 'true'),
        repairSurfaces: flag('Whether marks, holes and stains left behind are repaired.', 'true'),
      },
      task: [
        'Empty this crowded room down to its bare shell, however much is in it: furniture, rugs, decor, boxes, clothes, clutter on every surface, items on walls.',
        'The room: {roomType}.',
        { when: { keepWindowTreatments: ['true'] }, text: 'Curtains and blinds stay.' },
        { when: { keepWindowTreatments: ['false'] }, text: 'Curtains and blinds go as well.' },
        { when: { keepLightFixtures: ['true'] }, text: 'Ceiling and wall lamps stay.' },
        { when: { keepLightFixtures: ['false'] }, text: 'Ceiling and wall lamps go as well.' },
        { when: { keepAppliances: ['true'] }, text: 'Large appliances stay.' },
        { when: { keepAppliances: ['false'] }, text: 'Large appliances go as well.' },
        {
          when: { repairSurfaces: ['true'] },
          text: 'Repair nail holes, marks and stains on what becomes visible.',
        },
        'Reconstruct hidden floor, walls, baseboards and windows from what is visible around them.',
      ],
      keep: KEEP_ARCHITECTURE,
    },
  ],
};
