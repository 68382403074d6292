import { keepRoom } from '../keep/interior.ts';
import { choice, finish, fixtureFinish, flag, tone, worded } from '../options.ts';
import type { ToolEntry } from '../tool-spec.ts';
import { FINISH, WOOD_TONE } from '../values.ts';
import { FINISH_WORDING, WOOD_WORDING } from '../wording.ts';

/** Tools that replace one built-in part of a room. */
export const INTERIOR_PARTS: readonly ToolEntry[] = [
  {
    slug: 'fireplace-renovation',
    title: 'Fireplace renovation',
    description: 'Refaces the fireplace.',
    customPrompt: 'read',
    aim: 'Reface the fireplace in this room',
    preset: 'Reface the fireplace in this room with light natural stone and a simple oak mantel.',
    options: {
      fireplaceMaterial: worded(
        'Material of the surround.',
        {
          'natural-stone': 'stacked natural stone',
          marble: 'veined marble slabs',
          brick: 'red-brown brick',
          'whitewashed-brick': 'whitewashed brick',
          tile: 'ceramic tile',
          concrete: 'smooth cast concrete',
          shiplap: 'painted shiplap, with a noncombustible border around the firebox',
          plaster: 'smooth white plaster',
        },
        'natural-stone',
      ),
      mantelStyle: worded(
        'Mantel.',
        {
          'wood-beam': 'a solid wood beam',
          'classic-white': 'a classic white mantelpiece with legs and molding',
          'floating-shelf': 'a slim floating shelf',
          none: 'none; the surround runs up plain',
        },
        'wood-beam',
      ),
      fireLit: flag('Whether a fire burns.', 'false'),
    },
    task: [
      'Reface the fireplace in this room with {fireplaceMaterial}.',
      'The mantel: {mantelStyle}.',
      { when: { fireLit: ['true'] }, text: 'A calm fire burns in it, with a soft glow on what is near.' },
      { when: { fireLit: ['false'] }, text: 'The fire is not lit.' },
    ],
    craft: [
      'The firebox and the chimney breast keep their place and size; the new surround meets wall, floor and hearth cleanly.',
    ],
    keep: keepRoom(),
  },
  {
    slug: 'staircase-railing',
    title: 'Staircase railing',
    description: 'Replaces the railing of a staircase.',
    customPrompt: 'read',
    aim: 'Replace the staircase railing in this photo',
    preset:
      'Replace the staircase railing in this photo with slim vertical matte black balusters and an oak handrail.',
    options: {
      railingStyle: worded(
        'Kind of railing.',
        {
          'metal-balusters': 'slim vertical metal balusters',
          'glass-panels': 'clear glass panels in slim fittings',
          cable: 'horizontal steel cables between posts',
          'wood-spindles': 'turned wood spindles',
          'wrought-iron': 'ornamental wrought iron',
          'horizontal-bars': 'horizontal metal bars between posts',
        },
        'metal-balusters',
      ),
      railingFinish: choice(
        'Finish of the metal or frame.',
        ['matte-black', 'white', 'brushed-steel', 'bronze'],
        'matte-black',
      ),
      handrailTone: choice('Color of the handrail.', WOOD_TONE, 'natural-wood', {
        wording: WOOD_WORDING,
      }),
    },
    task: [
      'Replace the staircase railing in this photo with {railingStyle}.',
      'Finish of the metal or frame: {railingFinish}.',
      'The handrail: {handrailTone}.',
    ],
    craft: [
      'Treads, risers, stringers and landings stay; the railing runs without a gap along every open edge, at code height, evenly spaced and in correct perspective.',
    ],
    keep: keepRoom(),
  },
  {
    slug: 'ceiling-fan',
    title: 'Ceiling fan',
    description: 'Adds a ceiling fan or replaces the existing one.',
    customPrompt: 'read',
    aim: 'Install a ceiling fan in this room',
    preset:
      'Install a modern three-blade ceiling fan with a small light at the center of the ceiling of this room.',
    options: {
      fanStyle: worded(
        'Kind of fan.',
        {
          'modern-three-blade': 'a modern fan with three slim blades',
          'classic-five-blade': 'a classic fan with five blades',
          industrial: 'an industrial fan with metal blades and an exposed motor',
          farmhouse: 'a farmhouse fan with weathered wood blades',
          tropical: 'a tropical fan with broad palm-leaf blades',
          'low-profile': 'a low-profile fan mounted flush to the ceiling',
        },
        'modern-three-blade',
      ),
      fanFinish: choice('Finish of the fan.', [...FINISH, 'white', 'natural-wood'], 'brushed-nickel', {
        wording: FINISH_WORDING,
      }),
      withLight: flag('Whether the fan has a light.', 'true'),
    },
    task: [
      'Install one ceiling fan in this room: {fanStyle}.',
      'Its finish: {fanFinish}.',
      { when: { withLight: ['true'] }, text: 'It has an integrated light.' },
      { when: { withLight: ['false'] }, text: 'It has no light.' },
    ],
    craft: [
      'It takes the place of the present ceiling fan or ceiling light, or else the center of the ceiling; it hangs straight, at real-world size, and clears walls and furniture.',
    ],
    keep: keepRoom('lights'),
  },
  {
    slug: 'lighting-update',
    title: 'Lighting update',
    description: 'Replaces light fixtures.',
    customPrompt: 'read',
    aim: 'Replace the light fixtures in this room',
    preset:
      'Replace the visible light fixtures in this room with matching contemporary ones that give warm white light.',
    options: {
      lightingType: worded(
        'Kind of fixture.',
        {
          pendant: 'pendant lights',
          chandelier: 'a chandelier',
          recessed: 'recessed downlights',
          'flush-mount': 'flush-mount ceiling lights',
          track: 'track lighting',
          'wall-sconce': 'wall sconces',
          'floor-lamp': 'floor lamps',
        },
        'pendant',
      ),
      fixtureFinish,
      lightColor: choice('Color of the light.', ['warm-white', 'neutral-white', 'cool-white'], 'warm-white'),
    },
    task: [
      'Replace the light fixtures in this room with {lightingType}.',
      'Their metal finish: {fixtureFinish}.',
      'They are switched on and give {lightColor} light.',
    ],
    craft: [
      'They take the places of the present ones, or else those an electrician would choose, at real-world size, and light what is near them plausibly.',
    ],
    keep: keepRoom('lights'),
  },
  {
    slug: 'door-update',
    title: 'Door update',
    description: 'Replaces the doors in view.',
    customPrompt: 'read',
    aim: 'Replace the doors in this photo',
    preset: 'Replace the doors in this photo with white shaker panel doors with matte black handles.',
    options: {
      doorStyle: worded(
        'Kind of door.',
        {
          'shaker-panel': 'shaker doors with flat recessed panels',
          'flush-modern': 'flush modern doors',
          'glass-panel': 'glass-panel doors with one large pane',
          french: 'French doors with divided glass panes',
          'barn-sliding': 'sliding barn doors on an exposed rail',
          pocket: 'pocket doors that slide into the wall',
          arched: 'arch-top panel doors, set in the present openings',
        },
        'shaker-panel',
      ),
      doorColor: choice('Color of the door.', WOOD_TONE, 'white', {
        wording: WOOD_WORDING,
      }),
      doorTone: tone('A more exact shade in words.'),
      hardwareFinish: finish('Finish of handles and hinges.', 'matte-black'),
    },
    task: [
      'Replace the doors in this photo with {doorStyle}.',
      'Their surface: {doorColor}.',
      {
        when: { doorTone: 'given' },
        text: "The exact shade is the door tone in the client's words below; it overrides the color above.",
      },
      'Finish of handles and hinges: {hardwareFinish}.',
    ],
    craft: ['Each door stays as far open or closed as it is; frames and casings match the new doors.'],
    keep: keepRoom('doors'),
  },
];
