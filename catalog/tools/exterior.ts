import { KEEP_BUILDING, KEEP_PLOT } from '../keep.ts';
import { choice, flag, style } from '../options.ts';
import type { ToolGroup } from '../tool-spec.ts';
import { STYLE, STYLE_WIDE } from '../values.ts';
import { OUTDOOR_TOOLS } from './outdoor.ts';

export const EXTERIOR: ToolGroup = {
  id: 'exterior',
  title: 'Exterior and outdoor',
  description: 'Change facades, roofs, driveways, gardens and pools.',
  tools: [
    {
      slug: 'exterior-renovation',
      title: 'Exterior renovation',
      description: 'Renovates the outside of a house in one style.',
      customPrompt: 'not read',
      options: { style: style('Style of the facade.', STYLE, 'modern') },
      task: [
        'Show the outside of this house after a professional renovation in {style} style: facade, trim, front door, garage door and lamps.',
      ],
      keep: KEEP_BUILDING,
    },
    {
      slug: 'construction-exterior',
      title: 'Construction to finished exterior',
      description: 'Shows a building under construction as it will look when finished.',
      customPrompt: 'not read',
      options: {
        style: style('Style of the finished building.', STYLE_WIDE, 'modern'),
        facadeMaterial: choice(
          'Material of the facade.',
          ['auto', 'plaster', 'brick', 'glass', 'wood-cladding', 'natural-stone', 'composite-panel'],
          'auto',
          {
            wording: {
              auto: 'the one that suits the style and the building, or the one it is clearly being finished in',
            },
          },
        ),
      },
      task: [
        'Show this building under construction as it looks when finished in {style} style. Facade material: {facadeMaterial}.',
        'Remove scaffolding, fences, machines and material; finish windows, doors, roof edge and the ground around the building.',
      ],
      keep: KEEP_BUILDING,
    },
    {
      slug: 'roof-replacement',
      title: 'Roof replacement',
      description: 'Replaces the roofing.',
      customPrompt: 'not read',
      options: {
        material: choice(
          'Roofing material.',
          ['architectural-shingle', 'metal-standing-seam', 'clay-tile', 'slate', 'cedar-shake'],
          'architectural-shingle',
        ),
      },
      task: [
        'Replace the roofing of this house. The new material: {material}.',
        'Roof shape, pitch, chimneys, vents, skylights and gutters stay; courses follow the slope.',
      ],
      keep: KEEP_BUILDING,
    },
    {
      slug: 'driveway-renovation',
      title: 'Driveway renovation',
      description: 'Resurfaces the driveway.',
      customPrompt: 'not read',
      options: {
        material: choice(
          'Surface of the driveway.',
          ['pavers', 'stamped-concrete', 'exposed-aggregate', 'fresh-asphalt'],
          'pavers',
        ),
      },
      task: [
        'Resurface the driveway in this photo. The new surface: {material}.',
        'Its outline and slope stay, with clean edges toward lawn, walkway and street.',
      ],
      keep: KEEP_PLOT,
    },
    {
      slug: 'fence-addition',
      title: 'Fence addition',
      description: 'Adds a fence along the plot.',
      customPrompt: 'not read',
      options: {
        fenceType: choice(
          'Kind of fence.',
          ['wood-privacy', 'wrought-iron', 'vinyl-white', 'split-rail'],
          'wood-privacy',
        ),
      },
      task: [
        'Add a fence along the boundary of the plot in this photo. Kind: {fenceType}.',
        'It follows the terrain, leaves driveway and paths open and hides nothing important of the house.',
      ],
      keep: KEEP_PLOT,
    },
    {
      slug: 'exterior-additions',
      title: 'Exterior additions',
      description: 'Adds one thing to the plot.',
      customPrompt: 'not read',
      options: {
        additionCategory: choice(
          'Grouping of additionType; without effect on the result.',
          ['fencing', 'hardscape', 'buildings'],
          'fencing',
          { appliesWhen: 'never' },
        ),
        additionType: choice(
          'Thing to add.',
          [
            'privacy-fence',
            'vinyl-fence',
            'wrought-iron-fence',
            'modern-metal-fence',
            'concrete-block-wall',
            'stone-wall',
            'stucco-wall',
            'brick-wall',
            'driveway-paver',
            'driveway-concrete',
            'driveway-cobblestone',
            'walkway-path',
            'retaining-wall',
            'adu',
            'garage',
            'carport',
            'shed',
            'greenhouse',
          ],
          'privacy-fence',
          {
            wording: {
              adu: 'accessory dwelling unit',
              'driveway-paver': 'paver driveway',
              'driveway-concrete': 'concrete driveway',
              'driveway-cobblestone': 'cobblestone driveway',
            },
          },
        ),
        hasExisting: flag('Whether to replace a similar existing structure.', 'false'),
      },
      task: [
        'Add one thing to the plot in this photo: {additionType}.',
        {
          when: { hasExisting: ['true'] },
          text: 'It replaces the similar structure that is already there.',
        },
        { when: { hasExisting: ['false'] }, text: 'It is added to what is there and replaces nothing.' },
        'Pools, spas, pergolas, gazebos, decks and patios stay as they are.',
      ],
      keep: KEEP_PLOT,
    },
    {
      slug: 'garage-renovation',
      title: 'Garage renovation',
      description: 'Turns a garage into another kind of space.',
      customPrompt: 'not read',
      options: {
        conversionType: choice(
          'What the garage becomes.',
          ['organized-storage', 'workshop', 'home-gym', 'studio'],
          'organized-storage',
        ),
      },
      task: [
        'Show this garage converted for another use: {conversionType}. Floor, walls, lighting and fittings suit the use, and the clutter is gone.',
      ],
      keep: KEEP_BUILDING,
    },
    ...OUTDOOR_TOOLS,
  ],
};
