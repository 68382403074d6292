import { keepPlot } from '../keep/exterior.ts';
import { KEEP_STRUCTURE } from '../keep/interior.ts';
import { facadeStyle, worded } from '../options.ts';
import type { ToolGroup } from '../tool-spec.ts';
import { STYLE, STYLE_WIDE } from '../values.ts';
import { TRUE_SCALE } from '../wording.ts';
import { PLOT_TOOLS } from './exterior-plot.ts';
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
      options: { style: facadeStyle('Style of the facade.', STYLE, 'modern') },
      task: [
        'Show the outside of this house after a professional renovation in {style}.',
        'What is renewed: facade, trim, window frames, front door, garage door and outdoor lamps.',
      ],
      craft: [
        'Use materials that can really be bought and built, worked cleanly around openings and corners; every door and window stays in its opening.',
      ],
      keep: keepPlot('facade', 'doors'),
    },
    {
      slug: 'construction-exterior',
      title: 'Construction to finished exterior',
      description: 'Shows a building under construction as it will look when finished.',
      customPrompt: 'not read',
      options: {
        style: facadeStyle('Style of the finished building.', STYLE_WIDE, 'modern'),
        facadeMaterial: worded(
          'Material of the facade.',
          {
            auto: 'the one that the building is clearly being finished in, or else the one that suits the style and the building',
            plaster: 'smooth plaster on the whole facade',
            brick: 'brick',
            glass: 'glass in slim frames',
            'wood-cladding': 'wood cladding',
            'natural-stone': 'natural stone',
            'composite-panel': 'large composite panels',
          },
          'auto',
        ),
      },
      task: [
        'Show this building under construction as it will look when finished in {style}.',
        'Facade material: {facadeMaterial}.',
      ],
      craft: [
        'Scaffolding, site fences, machines, containers and building material are gone; windows, doors, roof edge and the ground around the building are finished.',
      ],
      keep: keepPlot(
        'facade',
        'roof',
        'doors',
        'driveway',
        'paths',
        'lawn',
        'planting',
        'fences',
        'structures',
      ),
    },
    {
      slug: 'roof-replacement',
      title: 'Roof replacement',
      description: 'Replaces the roofing.',
      customPrompt: 'not read',
      options: {
        material: worded(
          'Roofing material.',
          {
            'architectural-shingle': 'architectural asphalt shingles',
            'metal-standing-seam': 'standing-seam metal panels',
            'clay-tile': 'clay tiles',
            slate: 'natural slate',
            'cedar-shake': 'cedar shakes',
          },
          'architectural-shingle',
        ),
      },
      task: ['Replace the roofing of this house with {material}.'],
      craft: [
        'Roof shape, pitch, overhangs, dormers, chimneys, vents, skylights, solar panels and gutters stay; courses or seams follow each slope at natural scale, with proper ridges, valleys and edges.',
      ],
      keep: keepPlot('roof'),
    },
    ...PLOT_TOOLS,
    {
      slug: 'garage-renovation',
      title: 'Garage renovation',
      description: 'Turns a garage into another kind of space.',
      customPrompt: 'not read',
      options: {
        conversionType: worded(
          'What the garage becomes.',
          {
            'organized-storage':
              'organized storage with cabinets, shelves and wall hooks, and room for the car',
            workshop: 'a workshop with a workbench, tool wall and task lighting',
            'home-gym': 'a home gym with rubber flooring, equipment and a mirror',
            studio: 'a finished studio room with a work area and seating',
          },
          'organized-storage',
        ),
      },
      task: ['Show this garage converted into {conversionType}.'],
      craft: [
        `Floor, wall finishes, lighting and fittings suit the use, and the clutter is gone; new pieces stand ${TRUE_SCALE}.`,
        'The garage door keeps its opening and its state, open or closed.',
      ],
      keep: KEEP_STRUCTURE,
    },
    ...OUTDOOR_TOOLS,
  ],
};
