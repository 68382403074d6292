import { KEEP_PLAN } from '../keep.ts';
import { choice, flag, list, style } from '../options.ts';
import type { ToolGroup } from '../tool-spec.ts';
import { STYLE, STYLE_WIDE } from '../values.ts';

const OUTPUT_STYLE = ['modern_cutaway', 'cutaway_isometric', 'topdown', 'perspective'] as const;

export const FLOOR_PLANS: ToolGroup = {
  id: 'floor-plans',
  title: 'Floor plans',
  description: 'Turn plans and sketches into clean or three-dimensional plans.',
  tools: [
    {
      slug: 'floor-plan-to-3d',
      label: 'floor-plan-3d',
      title: 'Floor plan to 3D',
      description: 'Renders a flat floor plan as a furnished 3D model.',
      customPrompt: 'read',
      alwaysChecked: true,
      preset:
        'Turn this floor plan into a furnished 3D floor plan: a modern cutaway with walls cut at a uniform height, seen from above at an angle, in soft daylight, without labels. Show outdoor areas only where the plan draws them.',
      options: {
        outputStyle: choice('View of the model.', OUTPUT_STYLE, 'modern_cutaway', {
          wording: {
            modern_cutaway: 'a modern cutaway, walls cut at a uniform height, seen from above at an angle',
            cutaway_isometric: 'a cutaway in true isometric projection',
            topdown: 'a rendering seen straight from above, without perspective',
            perspective: 'a cutaway in strong perspective from one corner',
          },
        }),
        interiorStyle: style('Style of the furniture.', STYLE_WIDE, 'modern', {
          appliesWhen: { furnitureMode: ['furnished', 'as_drawn'] },
        }),
        furnitureMode: choice(
          'Whether the model is furnished.',
          ['furnished', 'as_drawn', 'empty'],
          'furnished',
          {
            wording: {
              furnished: 'Furnish every room for its use',
              as_drawn: 'Place only the furniture that the plan draws',
              empty: 'Leave it an empty shell without any furniture',
            },
          },
        ),
        fp3dOutdoor: choice('Outdoor areas.', ['as_drawn', 'none', 'landscaped'], 'as_drawn', {
          wording: {
            as_drawn: 'Show balconies, terraces, pools and parking only where the plan draws them.',
            none: 'Show no outdoor areas.',
            landscaped: 'Show drawn outdoor areas and simple greenery around the building.',
          },
        }),
        fp3dLabels: choice('Labels in the image.', ['none', 'room_names', 'room_names_and_areas'], 'none', {
          wording: {
            none: 'Write no labels.',
            room_names: "Label each room with the plan's own name for it.",
            room_names_and_areas: "Label each room with the plan's own name and area.",
          },
        }),
        inputType: choice(
          'Kind of the input plan; detected when omitted.',
          ['auto', 'architectural_plan', 'hand_sketch', 'photo_of_plan', 'marketing_plan'],
          undefined,
          { sameAsOmitted: 'auto' },
        ),
      },
      aliases: {
        view: {
          for: 'outputStyle',
          map: {
            cutaway: 'modern_cutaway',
            isometric: 'cutaway_isometric',
            ...Object.fromEntries(OUTPUT_STYLE.map((value) => [value, value])),
          },
          unknownValue: 'reject',
          description: 'Alias of outputStyle.',
        },
        style: {
          for: 'interiorStyle',
          map: Object.fromEntries(STYLE_WIDE.map((value) => [value, value])),
          unknownValue: 'warn',
          description: 'Alias of interiorStyle; an unknown value is ignored with a warning.',
        },
      },
      task: [
        'Turn this floor plan into a 3D floor plan: {outputStyle}.',
        'The input: {inputType}.',
        '{furnitureMode}.',
        'Style of the furniture: {interiorStyle}.',
        '{fp3dOutdoor}',
        '{fp3dLabels}',
      ],
      keep: KEEP_PLAN,
    },
    {
      slug: 'sketch-to-floor-plan',
      title: 'Sketch to floor plan',
      description: 'Redraws a hand sketch as a clean floor plan.',
      customPrompt: 'not read',
      preset:
        'Redraw this sketch as a clean black-and-white architectural floor plan with straight walls of even thickness and standard symbols, without dimensions, room names or furniture.',
      presetKeeps: ['pageSize'],
      options: {
        pageSize: choice('Page the plan is laid out on.', [
          'a4',
          'a3',
          'letter',
          'legal',
          'tabloid',
          'square',
        ]),
        preserve: list(
          'What is kept from the sketch: an array or a comma-separated string. Nothing by default.',
          ['dimensions', 'room-names', 'furniture'],
        ),
      },
      task: [
        'Redraw this sketch as a clean black-and-white architectural floor plan with straight walls of even thickness and standard symbols.',
        'Of its dimensions, room names and furniture take over only these: {preserve}.',
        { when: { preserve: 'missing' }, text: 'Leave dimensions, room names and furniture out.' },
        'Lay it out for this page size: {pageSize}.',
      ],
      keep: KEEP_PLAN,
    },
    {
      slug: 'floor-plan-colorize',
      title: 'Floor plan colorize',
      description: 'Colors a black-and-white floor plan by room.',
      customPrompt: 'not read',
      preset:
        'Color this floor plan for a listing: soft neutral tints by room use, walls in dark gray, lines and lettering as drawn.',
      options: {
        colorScheme: choice(
          'Colors of the rooms.',
          ['neutral', 'pastel', 'warm', 'cool', 'vivid', 'monochrome'],
          'neutral',
        ),
        floorTextures: flag('Whether floors show wood, tile and lawn textures.', 'false'),
      },
      task: [
        'Color this floor plan for a listing, one tint for each use of rooms. Color scheme: {colorScheme}.',
        { when: { floorTextures: ['true'] }, text: 'Floors show light wood, tile and lawn textures.' },
        { when: { floorTextures: ['false'] }, text: 'Use flat color without textures.' },
        'Lines, symbols and lettering stay sharp and as drawn.',
      ],
      keep: KEEP_PLAN,
    },
    {
      slug: 'floor-plan-visualize',
      title: 'Floor plan visualize',
      description: 'Shows a floor plan furnished, seen from above.',
      customPrompt: 'not read',
      preset:
        'Show this floor plan furnished in a modern style, seen straight from above, with realistic materials and soft shadows.',
      options: {
        style: style('Style of the furniture.', STYLE, 'modern'),
        showLabels: flag('Whether room names stay in the image.', 'false'),
      },
      task: [
        'Show this floor plan furnished in {style} style, seen straight from above, with realistic materials and soft shadows.',
        { when: { showLabels: ['true'] }, text: "Keep the plan's own room names." },
        { when: { showLabels: ['false'] }, text: 'Leave room names and numbers out.' },
      ],
      keep: KEEP_PLAN,
    },
  ],
};
