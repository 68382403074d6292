import { keepRoom } from '../keep/interior.ts';
import { KEEP_SURROUNDINGS } from '../keep/photo.ts';
import { choice, hex, room, style, text, worded } from '../options.ts';
import type { ToolGroup } from '../tool-spec.ts';
import { STYLE, STYLE_BY_USE } from '../values.ts';

export const FURNITURE: ToolGroup = {
  id: 'furniture',
  title: 'Furniture',
  description: 'Add, replace or refresh pieces of furniture.',
  tools: [
    {
      slug: 'add-furniture-object',
      title: 'Add a piece of furniture',
      description: 'Adds exactly one item in a natural empty area of the room.',
      customPrompt: 'not read',
      options: {
        roomType: room(),
        objectType: choice(
          'Piece to add. Without it and without description, a piece that suits the room is chosen.',
          ['sofa', 'dining-table', 'bed', 'desk', 'bookshelf', 'accent-chair', 'coffee-table', 'nightstand'],
          undefined,
          { appliesWhen: { description: 'missing' } },
        ),
        style: style('Design style of the piece.', STYLE, undefined, {
          appliesWhen: { description: 'missing' },
        }),
        description: text('The item in your own words, instead of objectType and style.'),
        placement: choice(
          'Only for masks painted in the web app; no effect through the API.',
          ['empty', 'replace', 'on-surface'],
          'empty',
          { appliesWhen: 'never' },
        ),
      },
      task: [
        {
          when: { description: 'given' },
          text: "Add exactly one item to this photo: the one under description in the client's words below.",
        },
        'Add exactly one item to this photo: one {objectType}.',
        {
          when: { description: 'missing', objectType: 'missing' },
          text: 'Add exactly one item to this photo: the piece of furniture that the room lacks most.',
        },
        'Design the piece in {style}.',
        'The room is {roomType}.',
      ],
      craft: [
        'Stand it in a natural empty area, at real-world size, in correct perspective, with contact shadows; doors, paths and windows stay free.',
        'Everything that is already there stays in place and in view.',
      ],
      keep: keepRoom(),
    },
    {
      slug: 'furniture-replacement',
      title: 'Furniture replacement',
      description: 'Replaces all furniture in one style, or only the pieces you name.',
      customPrompt: 'not read',
      options: {
        roomType: room('living-room'),
        style: style('Style of the replacements.', STYLE_BY_USE, 'modern', {
          appliesWhen: { description: 'missing' },
        }),
        description: text('The pieces to replace, and with what; everything else stays.'),
      },
      task: [
        {
          when: { description: 'given' },
          text: "Replace only the pieces of furniture named under description in the client's words below; every other piece stays exactly as it is.",
        },
        'Replace every piece of furniture in this photo with a new one in {style}.',
        'The room is {roomType}.',
      ],
      craft: [
        'Each new piece serves the same use and takes the position, orientation and approximate footprint of the old one, at real-world size, with contact shadows; the old one is gone without a trace.',
      ],
      keep: keepRoom('furniture'),
    },
    {
      slug: 'furniture-facelift',
      title: 'Furniture facelift',
      description: 'Recolors, reupholsters or refinishes the most prominent piece.',
      customPrompt: 'not read',
      options: {
        changeType: worded(
          'Change to make to the piece.',
          {
            recolor: 'recolor it, with its present material and texture',
            refabric: 'reupholster it in a new fabric with a visible, realistic weave',
            refinish: 'refinish its wood, metal or lacquer surfaces',
          },
          'recolor',
        ),
        targetColor: hex('New color of the piece.', '#FFFFFF'),
      },
      task: [
        'Give the most prominent piece of furniture in this photo a facelift: {changeType}.',
        'The new color is {targetColor}, as it would look in the light of this room, with the folds, shading and highlights of the piece.',
      ],
      craft: [
        'Its shape, size, position, seams and details stay, and so does every other piece of furniture.',
      ],
      keep: KEEP_SURROUNDINGS,
    },
  ],
};
