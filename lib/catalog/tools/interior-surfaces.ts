import { keepRoom } from '../keep/interior.ts';
import { flag, style, tone, worded } from '../options.ts';
import type { ToolEntry } from '../tool-spec.ts';
import { STYLE } from '../values.ts';
import { PALETTE_WORDING } from '../wording.ts';

/** Tools that give walls, floor or other surfaces a new finish. */
export const INTERIOR_SURFACES: readonly ToolEntry[] = [
  {
    slug: 'wall-color-change',
    title: 'Wall color change',
    description: 'Repaints the walls.',
    customPrompt: 'not read',
    preset: 'Repaint the walls in a warm soft white with a matte finish.',
    options: {
      wallColor: worded(
        'Color of the walls.',
        {
          white: 'clean white',
          cream: 'warm cream',
          beige: 'soft beige',
          greige: 'greige, between gray and beige',
          'light-gray': 'light gray',
          charcoal: 'deep charcoal gray',
          navy: 'navy blue',
          'sage-green': 'muted sage green',
          'dusty-blue': 'grayish dusty blue',
          terracotta: 'warm terracotta',
        },
        'white',
      ),
      wallTone: tone('A more exact shade in words.'),
      paintFinish: worded(
        'Sheen of the paint.',
        {
          matte: 'matte, without reflections',
          eggshell: 'eggshell, with a faint sheen',
          satin: 'satin, with a soft sheen',
          'semi-gloss': 'semi-gloss, with clear soft reflections',
        },
        'matte',
      ),
      accentWallOnly: flag('Whether only the most prominent wall is painted.', 'false'),
    },
    task: [
      {
        when: { accentWallOnly: ['false'] },
        text: 'Repaint all painted walls in this photo.',
      },
      {
        when: { accentWallOnly: ['true'] },
        text: 'Repaint one accent wall in this photo, the most prominent one; the other walls keep their color.',
      },
      'The new color: {wallColor}.',
      'The sheen: {paintFinish}.',
      {
        when: { wallTone: 'given' },
        text: "The exact shade is the wall tone in the client's words below; it overrides the color above.",
      },
    ],
    craft: [
      'Cut in cleanly along ceiling, trim, outlets and furniture; the light, shadows and texture on the walls stay.',
      'Tile, exposed brick, stone and wood paneling are not painted.',
    ],
    keep: keepRoom('walls'),
  },
  {
    slug: 'wall-treatment',
    title: 'Wall treatment',
    description: 'Adds paneling, wallpaper or another wall covering.',
    customPrompt: 'read',
    aim: 'Apply a new wall covering in this room',
    preset: 'Add white board-and-batten wainscoting to the lower third of the main wall.',
    options: {
      wallTreatment: worded(
        'Covering of the wall.',
        {
          wainscoting: 'raised-panel wainscoting and a chair rail',
          'board-and-batten': 'board and batten below a top rail',
          shiplap: 'horizontal shiplap boards',
          'wood-slats': 'narrow vertical wood slats',
          wallpaper: 'wallpaper in a quiet pattern',
          'exposed-brick': 'exposed brick in running bond',
          'stone-veneer': 'natural stone veneer',
          limewash: 'soft, cloudy limewash paint',
          'molding-panels': 'picture-frame molding panels',
        },
        'wainscoting',
      ),
      treatmentTone: tone('Color in words.'),
      treatmentArea: worded(
        'Walls that are covered.',
        {
          'accent-wall': 'the most prominent wall only; the other walls stay as they are',
          'lower-third': 'the lower third of all walls; above it they stay as they are',
          'all-walls': 'all walls',
        },
        'accent-wall',
      ),
    },
    task: [
      'Cover walls in this room with {wallTreatment}.',
      'Where: {treatmentArea}.',
      {
        when: { treatmentTone: 'given' },
        text: "Its color is the treatment tone in the client's words below.",
      },
    ],
    craft: [
      'It is built to real-world dimensions, meets corners, outlets, windows and trim cleanly, runs on behind furniture and follows the perspective.',
    ],
    keep: keepRoom('walls'),
  },
  {
    slug: 'flooring-replacement',
    title: 'Flooring replacement',
    description: 'Replaces the floor covering.',
    customPrompt: 'read',
    aim: 'Replace the floor covering in this room',
    preset: 'Replace the floor in this room with wide-plank natural oak with a matte finish.',
    options: {
      flooringMaterial: worded(
        'Material of the floor.',
        {
          hardwood: 'solid hardwood planks',
          'engineered-wood': 'engineered wood planks',
          laminate: 'wood-look laminate planks',
          'luxury-vinyl': 'luxury vinyl planks',
          'porcelain-tile': 'porcelain tile',
          'natural-stone': 'natural stone tile',
          marble: 'polished marble tile',
          carpet: 'wall-to-wall carpet',
          'polished-concrete': 'polished concrete',
        },
        'hardwood',
      ),
      flooringTone: tone('Species or color in words.'),
      flooringPattern: worded('How the floor is laid.', {
        straight: 'straight, parallel to the longest wall',
        'wide-plank': 'wide planks with staggered joints',
        herringbone: 'herringbone',
        chevron: 'chevron',
        diagonal: 'diagonal, at 45 degrees to the walls',
        'large-format': 'large format with few narrow joints',
      }),
    },
    task: [
      'Replace the floor covering in this room with {flooringMaterial}.',
      'Laying pattern: {flooringPattern}.',
      {
        when: { flooringTone: 'given' },
        text: "Its species or color is the flooring tone in the client's words below.",
      },
    ],
    craft: [
      'Lay it wall to wall and under all furniture and rugs, which stay in place; joints follow the perspective, and sheen and reflections suit the new surface.',
    ],
    keep: keepRoom('floor'),
  },
  {
    slug: 'restyle-surfaces',
    title: 'Restyle surfaces',
    description: 'Renews wall, floor and cabinet surfaces in one style and leaves the furniture.',
    customPrompt: 'read',
    aim: 'Give the surfaces of this room new materials and colors',
    preset:
      'Restyle the surfaces of this room: walls, floor and fixed surfaces with light neutral paint, natural oak and matte stone.',
    options: {
      style: style('Style of the surfaces.', STYLE, 'modern'),
      surfaces: worded(
        'Surfaces that change.',
        {
          all: 'walls, floor, ceiling and the fronts of built-in units',
          walls: 'the walls only; floor, ceiling and built-in units stay as they are',
          floor: 'the floor only; walls, ceiling and built-in units stay as they are',
          cabinets: 'the fronts of cabinets only; walls, floor and ceiling stay as they are',
          ceiling: 'the ceiling only; walls, floor and built-in units stay as they are',
        },
        'all',
      ),
      colorPalette: worded('Colors of the surfaces.', PALETTE_WORDING),
    },
    task: [
      'Restyle the surfaces of this room with new materials and colors in {style}.',
      'Which surfaces: {surfaces}.',
      'Color palette: {colorPalette}.',
    ],
    craft: [
      'Only materials and colors change; each surface keeps its shape and edges, and the new materials meet cleanly in the corners.',
    ],
    keep: keepRoom('walls', 'floor', 'ceiling', 'builtIns'),
  },
];
