import { keepRoom } from '../keep/interior.ts';
import { choice, flag, room, style, worded } from '../options.ts';
import type { ToolGroup } from '../tool-spec.ts';
import { STYLE_WIDE } from '../values.ts';
import { PALETTE_WORDING, ROOM_WORDING } from '../wording.ts';

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
        roomType: worded('Room to furnish it as; detected from the photo when omitted.', {
          ...ROOM_WORDING,
          'open-plan': 'an open-plan living and dining area',
          entryway: 'an entryway',
          nursery: 'a nursery',
          'game-room': 'a game room',
          'home-gym': 'a home gym',
          balcony: 'a balcony, with weatherproof outdoor furniture',
        }),
        furnishing: worded(
          'How much furniture is placed.',
          {
            sparse: 'the key pieces only, with generous free floor',
            standard: 'a complete, uncrowded set of furniture',
            full: 'a full set of furniture with secondary pieces, storage and textiles',
          },
          'standard',
        ),
        colorPalette: worded('Colors of furniture and textiles.', {
          ...PALETTE_WORDING,
          bold: 'bold (saturated accents on a quiet base)',
        }),
        decor: flag('Whether art, plants and accessories are added.', 'true'),
        existingFurniture: choice('What to do with existing furniture.', ['keep', 'remove'], 'keep'),
      },
      task: [
        'Virtually stage this room for a property listing with furniture in {style}.',
        'Furnish it as {roomType}.',
        { when: { roomType: 'missing' }, text: 'Recognize what kind of room it is and furnish it as that.' },
        'Amount: {furnishing}.',
        'Color palette of furniture and textiles: {colorPalette}.',
        {
          when: { decor: ['true'] },
          text: 'Style it with restraint: a fitting rug, art, plants, table or floor lamps and a few accessories.',
        },
        {
          when: { decor: ['false'] },
          text: 'Place furniture only; walls, tables and shelves stay free of decorative accessories.',
        },
        {
          when: { existingFurniture: ['keep'] },
          text: 'Furniture that is already in the photo stays where and as it is; stage around it.',
        },
        {
          when: { existingFurniture: ['remove'] },
          text: 'First take out the loose furniture and objects that are in the photo, with their shadows.',
        },
      ],
      craft: [
        'Arrange the pieces as a stager would: a clear focal point, free paths to every door, passage and window.',
        'Every piece stands flat on the floor at real-world size, in correct perspective, with contact shadows.',
      ],
      keep: keepRoom('furniture', 'decor'),
    },
    {
      slug: 'empty-your-space',
      title: 'Empty your space',
      description: 'Takes all loose furniture and objects out of a room.',
      customPrompt: 'not read',
      options: { roomType: room() },
      task: [
        'Empty this room: remove all loose furniture, rugs, table and floor lamps, pictures, decor and personal items.',
        'The room is {roomType}.',
      ],
      craft: [
        'Remove the shadows and reflections of what goes as well, and continue floor, walls and baseboards behind it in the same material, pattern and light.',
        'The result is the same room, vacant and clean.',
      ],
      keep: keepRoom('furniture', 'decor'),
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
        'Empty this crowded room down to its bare shell, however much is in it: remove furniture, rugs, decor, boxes, clothes, clutter on every surface and items on the walls.',
        'The room is {roomType}.',
        { when: { keepWindowTreatments: ['true'] }, text: 'Curtains and blinds stay.' },
        { when: { keepWindowTreatments: ['false'] }, text: 'Remove curtains and blinds, with their rods.' },
        { when: { keepLightFixtures: ['true'] }, text: 'Ceiling and wall lights stay.' },
        {
          when: { keepLightFixtures: ['false'] },
          text: 'Remove ceiling and wall lights and close the ceiling and walls behind them.',
        },
        { when: { keepAppliances: ['true'] }, text: 'Large appliances stay.' },
        { when: { keepAppliances: ['false'] }, text: 'Remove large appliances as well.' },
        {
          when: { repairSurfaces: ['true'] },
          text: 'Repair the nail holes, marks and stains that become visible on walls and floor.',
        },
        {
          when: { repairSurfaces: ['false'] },
          text: 'Show walls and floor in their present condition, wear included.',
        },
      ],
      craft: [
        'Remove the shadows and reflections of what goes as well, and rebuild hidden floor, walls, baseboards and windows from what is visible around them, in the same material, pattern and light.',
      ],
      keep: keepRoom('furniture', 'decor', 'curtains', 'lights', 'appliances'),
    },
  ],
};
