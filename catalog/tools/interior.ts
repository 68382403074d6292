import { KEEP_ROOM, KEEP_STRUCTURE } from '../keep.ts';
import { choice, flag, room, style, text, tone } from '../options.ts';
import type { ToolGroup } from '../tool-spec.ts';
import { FINISH, STYLE, STYLE_WIDE, WALL_COLOR } from '../values.ts';
import { INTERIOR_PARTS } from './interior-parts.ts';

export const INTERIOR: ToolGroup = {
  id: 'interior',
  title: 'Interior renovation',
  description: 'Renovate rooms as a whole or one part at a time.',
  tools: [
    {
      slug: 'virtual-renovation',
      title: 'Virtual renovation',
      description: 'Renovates a room as a whole in one style.',
      customPrompt: 'read',
      options: {
        style: style('Style the room is renovated in.', STYLE, 'modern'),
        roomType: room(),
        renovationScope: choice(
          'How much is renewed.',
          ['surfaces', 'surfaces-and-fixtures', 'full'],
          'full',
          {
            wording: {
              surfaces: 'wall, floor and ceiling finishes only',
              'surfaces-and-fixtures': 'wall, floor and ceiling finishes, built-in units and fixtures',
              full: 'finishes, built-in units, fixtures, lamps and furniture',
            },
          },
        ),
      },
      task: [
        'Show this room after a professional renovation in {style} style.',
        'The room: {roomType}.',
        'What is renewed: {renovationScope}.',
        'Use materials that can really be bought and built, worked cleanly into corners and edges.',
      ],
      keep: KEEP_STRUCTURE,
    },
    {
      slug: 'wall-color-change',
      title: 'Wall color change',
      description: 'Repaints the walls.',
      customPrompt: 'not read',
      preset: 'Repaint the walls in a warm soft white with a matte finish.',
      options: {
        wallColor: choice('Color of the walls.', WALL_COLOR, 'white'),
        wallTone: tone('A more exact shade in words.'),
        paintFinish: choice('Sheen of the paint.', ['matte', 'eggshell', 'satin', 'semi-gloss'], 'matte'),
        accentWallOnly: flag('Whether only the most prominent wall is painted.', 'false'),
      },
      task: [
        'Repaint the walls in this photo. The color: {wallColor}, with a {paintFinish} finish.',
        'The exact shade: {wallTone}.',
        { when: { accentWallOnly: ['true'] }, text: 'Paint only the most prominent wall.' },
        'Ceiling, trim, doors, tile and exposed brick or wood keep their color; light and shadow on the walls stay.',
      ],
      keep: KEEP_ROOM,
    },
    {
      slug: 'wall-treatment',
      title: 'Wall treatment',
      description: 'Adds paneling, wallpaper or another wall covering.',
      customPrompt: 'read',
      preset: 'Add white board-and-batten wainscoting to the lower third of the main wall.',
      options: {
        wallTreatment: choice(
          'Covering of the wall.',
          [
            'wainscoting',
            'board-and-batten',
            'shiplap',
            'wood-slats',
            'wallpaper',
            'exposed-brick',
            'stone-veneer',
            'limewash',
            'molding-panels',
          ],
          'wainscoting',
        ),
        treatmentTone: tone('Color in words.'),
        treatmentArea: choice(
          'Walls that are covered.',
          ['accent-wall', 'lower-third', 'all-walls'],
          'accent-wall',
          {
            wording: {
              'accent-wall': 'the most prominent wall only',
              'lower-third': 'the lower third of all walls',
              'all-walls': 'all walls',
            },
          },
        ),
      },
      task: [
        'Apply a new covering to walls in this photo: {wallTreatment}. The area: {treatmentArea}.',
        'Its color: {treatmentTone}.',
        'It is built to real-world dimensions, meets corners, outlets, windows and trim cleanly and follows the perspective.',
      ],
      keep: KEEP_ROOM,
    },
    {
      slug: 'flooring-replacement',
      title: 'Flooring replacement',
      description: 'Replaces the floor covering.',
      customPrompt: 'read',
      preset: 'Replace the floor with wide-plank natural oak with a matte finish.',
      options: {
        flooringMaterial: choice(
          'Material of the floor.',
          [
            'hardwood',
            'engineered-wood',
            'laminate',
            'luxury-vinyl',
            'porcelain-tile',
            'natural-stone',
            'marble',
            'carpet',
            'polished-concrete',
          ],
          'hardwood',
        ),
        flooringTone: tone('Species or color in words.'),
        flooringPattern: choice('How the floor is laid.', [
          'straight',
          'wide-plank',
          'herringbone',
          'chevron',
          'diagonal',
          'large-format',
        ]),
      },
      task: [
        'Replace the floor covering in this photo. The new material: {flooringMaterial}.',
        'Its species or color: {flooringTone}.',
        'Laying pattern: {flooringPattern}.',
        'Furniture and rugs stay in place; joints follow the perspective, and reflections suit the new surface.',
      ],
      keep: KEEP_ROOM,
    },
    {
      slug: 'restyle-surfaces',
      title: 'Restyle surfaces',
      description: 'Renews wall, floor and cabinet surfaces in one style and leaves the furniture.',
      customPrompt: 'read',
      preset:
        'Restyle walls, floor and fixed surfaces with light neutral paint, natural oak and matte stone.',
      options: {
        style: style('Style of the surfaces.', STYLE, 'modern'),
        surfaces: choice('Surfaces that change.', ['all', 'walls', 'floor', 'cabinets', 'ceiling'], 'all', {
          wording: { all: 'walls, floor, ceiling and built-in fronts' },
        }),
        colorPalette: choice('Colors of the surfaces.', ['neutral', 'warm', 'cool', 'earthy', 'monochrome']),
      },
      task: [
        'Give these surfaces in the photo new materials and colors in {style} style: {surfaces}.',
        'Color palette: {colorPalette}.',
        'Shapes, furniture and fixtures stay; only their surfaces change.',
      ],
      keep: KEEP_STRUCTURE,
    },
    ...INTERIOR_PARTS,
    {
      slug: 'construction-interior',
      title: 'Construction to finished interior',
      description: 'Shows a room under construction as it will look when finished.',
      customPrompt: 'not read',
      options: {
        style: style('Style of the finished room.', STYLE_WIDE, 'modern'),
        roomType: room(),
        furnished: flag('Whether the finished room is shown furnished.', 'true'),
        fixtureFinish: choice('Metal finish of visible fixtures.', FINISH),
        description: text('Anything about the finish that is already decided.'),
      },
      task: [
        'Show this room under construction as it looks when finished in {style} style: plastered, painted, floored, with trim, doors, lamps and switches in place.',
        'The room: {roomType}.',
        { when: { furnished: ['true'] }, text: 'Furnish it fittingly and without crowding.' },
        { when: { furnished: ['false'] }, text: 'Leave it unfurnished.' },
        'Metal finish of fixtures: {fixtureFinish}.',
        'Already decided: "{description}".',
        'Remove tools, material, dust, cables and protective sheets.',
      ],
      keep: KEEP_STRUCTURE,
    },
  ],
};
