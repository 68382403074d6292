import { KEEP_STRUCTURE } from '../keep/interior.ts';
import { finish, flag, room, style, text, worded } from '../options.ts';
import type { ToolGroup } from '../tool-spec.ts';
import { STYLE, STYLE_WIDE } from '../values.ts';
import { INTERIOR_PARTS } from './interior-parts.ts';
import { INTERIOR_SURFACES } from './interior-surfaces.ts';

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
      aim: 'Show this room after a professional renovation',
      options: {
        style: style('Style the room is renovated in.', STYLE, 'modern'),
        roomType: room(),
        renovationScope: worded(
          'How much is renewed.',
          {
            surfaces:
              'wall, floor and ceiling finishes only; built-in units, fixtures, lights and furniture stay as they are',
            'surfaces-and-fixtures':
              'wall, floor and ceiling finishes, built-in units and fixtures; loose furniture stays as it is',
            full: 'wall, floor and ceiling finishes, built-in units, fixtures, lights and furniture',
          },
          'full',
        ),
      },
      task: [
        'Show this room after a professional renovation in {style}.',
        'The room is {roomType}.',
        'What is renewed: {renovationScope}.',
      ],
      craft: [
        'Use materials that can really be bought and built, worked cleanly into corners and edges; what is renewed keeps its place and use.',
      ],
      keep: KEEP_STRUCTURE,
    },
    ...INTERIOR_SURFACES,
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
        fixtureFinish: finish('Metal finish of visible fixtures.'),
        description: text('Anything about the finish that is already decided.'),
      },
      task: [
        'Show this room under construction as it will look when finished in {style}: plastered, painted and floored, with trim, doors, lights and switches in place.',
        'The room is {roomType}.',
        { when: { furnished: ['true'] }, text: 'Furnish it fittingly and without crowding.' },
        { when: { furnished: ['false'] }, text: 'Leave it vacant, without furniture or decor.' },
        'Metal finish of fixtures and hardware: {fixtureFinish}.',
        {
          when: { description: 'given' },
          text: "Finishes that are already decided stand under description in the client's words below.",
        },
      ],
      craft: [
        'Tools, building material, dust, loose cables and protective sheets are gone; what is already finished stays as it is.',
      ],
      keep: KEEP_STRUCTURE,
    },
  ],
};
