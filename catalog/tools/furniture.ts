import { KEEP_ARCHITECTURE, KEEP_SUBJECT } from '../keep.ts';
import { choice, hex, room, style, text } from '../options.ts';
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
        'Add exactly one item to this photo.',
        'The item: "{description}".',
        'The item: one {objectType}.',
        {
          when: { description: 'missing', objectType: 'missing' },
          text: 'Choose the one piece of furniture that suits the room best.',
        },
        'Its design style is {style}.',
        'The room: {roomType}.',
        'Stand it in a natural empty area at real-world size, with contact shadows, blocking no door or passage.',
        'Move, cover, replace or remove nothing that is already there.',
      ],
      keep: KEEP_ARCHITECTURE,
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
        'Replace furniture in this photo. The room: {roomType}.',
        'Replace only what this names, in place, and leave every other piece untouched: "{description}".',
        'Replace every piece of furniture with a new one in {style} style.',
        'Each new piece takes the position, orientation and approximate footprint of the old one.',
      ],
      keep: KEEP_ARCHITECTURE,
    },
    {
      slug: 'furniture-facelift',
      title: 'Furniture facelift',
      description: 'Recolors, reupholsters or refinishes the most prominent piece.',
      customPrompt: 'not read',
      options: {
        changeType: choice('Change to make to the piece.', ['recolor', 'refabric', 'refinish'], 'recolor', {
          wording: {
            recolor: 'change its color and keep its material and texture',
            refabric: 'reupholster it in a new fabric with a visible, realistic weave',
            refinish: 'give its wood, metal or lacquer surfaces a new finish',
          },
        }),
        targetColor: hex('New color of the piece.', '#FFFFFF'),
      },
      task: [
        'Find the most prominent piece of furniture in this photo and do one thing to it: {changeType}.',
        'The target color is {targetColor}, as it would look in the light of this room.',
        'Its shape, size, position, seams and legs stay, and so does every other object.',
      ],
      keep: KEEP_SUBJECT,
    },
  ],
};
