import { KEEP_DRAWING, KEEP_LAYOUT, KEEP_LAYOUT_IN_PLACE } from '../keep/plan.ts';
import { flag, list, style, worded } from '../options.ts';
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
      aim: 'Turn this floor plan into a 3D floor plan',
      preset:
        'Turn this floor plan into a furnished 3D floor plan: a modern cutaway with walls cut at a uniform height, seen from above at an angle, in soft daylight, without any lettering. Show balconies, terraces, pools and parking only where the plan draws them.',
      options: {
        outputStyle: worded(
          'View of the model.',
          {
            modern_cutaway: 'a modern cutaway, walls cut at a uniform height, seen from above at an angle',
            cutaway_isometric: 'a cutaway in true isometric projection, walls cut at a uniform height',
            topdown: 'a rendering seen straight from above, without perspective',
            perspective: 'a cutaway in strong perspective from one corner, walls cut at a uniform height',
          } satisfies Record<(typeof OUTPUT_STYLE)[number], string>,
          'modern_cutaway',
        ),
        interiorStyle: style('Style of the furniture.', STYLE_WIDE, 'modern', {
          appliesWhen: { furnitureMode: ['furnished', 'as_drawn'] },
        }),
        furnitureMode: worded(
          'Whether the model is furnished.',
          {
            furnished: 'Furnish every room for its use, at the scale of the plan.',
            as_drawn: 'Place only the furniture that the plan draws, where it draws it.',
            empty: 'Leave it an empty shell: floors, walls, doors and windows without any furniture.',
          },
          'furnished',
        ),
        fp3dOutdoor: worded(
          'Outdoor areas.',
          {
            as_drawn: 'Show balconies, terraces, pools and parking only where the plan draws them.',
            none: 'Leave outdoor areas out; only the rooms are shown.',
            landscaped:
              'Show the outdoor areas that the plan draws, and simple lawn and shrubs around the building.',
          },
          'as_drawn',
        ),
        fp3dLabels: worded(
          'Labels in the image.',
          {
            none: 'Show no lettering, dimensions or labels.',
            room_names: "Label each room with the plan's own name for it.",
            room_names_and_areas: "Label each room with the plan's own name and area for it.",
          },
          'none',
        ),
        inputType: worded(
          'Kind of the input plan; detected when omitted.',
          {
            auto: 'a floor plan',
            architectural_plan: 'an architectural drawing',
            hand_sketch: 'a hand sketch; its wavering lines stand for straight walls',
            photo_of_plan: 'a photo of a printed plan; read through its perspective, glare and folds',
            marketing_plan: 'a marketing plan with colors and furniture symbols',
          },
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
        'The input is {inputType}.',
        '{furnitureMode}',
        'Furniture and finishes are in {interiorStyle}.',
        '{fp3dOutdoor}',
        '{fp3dLabels}',
      ],
      craft: [
        'Realistic floors and materials suit the use of each room, in soft, even daylight with gentle shadows, on a plain light background.',
      ],
      keep: KEEP_LAYOUT,
    },
    {
      slug: 'sketch-to-floor-plan',
      title: 'Sketch to floor plan',
      description: 'Redraws a hand sketch as a clean floor plan.',
      customPrompt: 'not read',
      preset:
        'Redraw this sketch as a clean black-and-white architectural floor plan with straight walls of even thickness and standard symbols for doors, windows, stairs and fixtures, without dimensions, room names or furniture.',
      presetKeeps: ['pageSize'],
      options: {
        pageSize: worded('Page the plan is laid out on.', {
          a4: 'an A4 page',
          a3: 'an A3 page',
          letter: 'a US Letter page',
          legal: 'a US Legal page',
          tabloid: 'a US Tabloid page',
          square: 'a square page',
        }),
        preserve: list(
          'What is kept from the sketch: an array or a comma-separated string. Nothing by default.',
          ['dimensions', 'room-names', 'furniture'],
        ),
      },
      task: [
        'Redraw this sketch as a clean black-and-white architectural floor plan with straight walls of even thickness and standard symbols for doors, windows, stairs and fixtures.',
        'Of its dimensions, room names and furniture take over only these: {preserve}.',
        { when: { preserve: 'missing' }, text: 'Leave dimensions, room names and furniture out.' },
        'Lay it out to be printed on {pageSize}: centered, with line weights and lettering that read well at that size.',
      ],
      craft: [
        'Lines are sharp and solid on plain white; walls that the sketch means to be straight, parallel or square become so, and paper texture, shadows and stray marks are gone.',
      ],
      keep: KEEP_LAYOUT,
    },
    {
      slug: 'floor-plan-colorize',
      title: 'Floor plan colorize',
      description: 'Colors a black-and-white floor plan by room.',
      customPrompt: 'not read',
      preset:
        'Color this floor plan for a listing: soft neutral tints by the use of each room, flat and without textures, with walls in dark gray.',
      options: {
        colorScheme: worded(
          'Colors of the rooms.',
          {
            neutral: 'soft neutral tints of beige, sand and gray',
            pastel: 'light pastel tints',
            warm: 'warm tints of cream, apricot and terracotta',
            cool: 'cool tints of blue, teal and gray',
            vivid: 'clear, saturated colors',
            monochrome: 'shades of a single gray',
          },
          'neutral',
        ),
        floorTextures: flag('Whether floors show wood, tile and lawn textures.', 'false'),
      },
      task: [
        'Color this floor plan for a listing in {colorScheme}, one for each use of rooms.',
        {
          when: { floorTextures: ['true'] },
          text: 'Floors show light textures of wood, tile and lawn that suit the use of each room.',
        },
        { when: { floorTextures: ['false'] }, text: 'Use flat color without textures.' },
      ],
      craft: [
        'Color fills each room to its walls and stays light enough to read all lettering; the background stays white.',
      ],
      keep: KEEP_DRAWING,
    },
    {
      slug: 'floor-plan-visualize',
      title: 'Floor plan visualize',
      description: 'Shows a floor plan furnished, seen from above.',
      customPrompt: 'not read',
      preset:
        'Show this floor plan furnished in a clean modern style, seen straight from above, without lettering.',
      options: {
        style: style('Style of the furniture.', STYLE, 'modern'),
        showLabels: flag('Whether room names stay in the image.', 'false'),
      },
      task: [
        'Show this floor plan furnished in {style}, seen straight from above.',
        {
          when: { showLabels: ['true'] },
          text: "Show the plan's own room names in their places; leave dimensions and other numbers out.",
        },
        { when: { showLabels: ['false'] }, text: 'Leave room names, dimensions and numbers out.' },
      ],
      craft: [
        'Realistic floors and materials suit the use of each room, furniture is to the scale of the plan, and soft shadows give depth, on a plain white background.',
      ],
      keep: KEEP_LAYOUT_IN_PLACE,
    },
  ],
};
