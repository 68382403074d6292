import { KEEP_ROOM } from '../keep.ts';
import { choice, fixtureFinish, flag, tone } from '../options.ts';
import type { ToolEntry } from '../tool-spec.ts';
import { FINISH, WOOD_TONE } from '../values.ts';

/** Tools that replace one built-in part of a room. */
export const INTERIOR_PARTS: readonly ToolEntry[] = [
  {
    slug: 'fireplace-renovation',
    title: 'Fireplace renovation',
    description: 'Refaces the fireplace.',
    customPrompt: 'read',
    preset: 'Reface the fireplace with light natural stone and a simple oak mantel.',
    options: {
      fireplaceMaterial: choice(
        'Material of the surround.',
        ['natural-stone', 'marble', 'brick', 'whitewashed-brick', 'tile', 'concrete', 'shiplap', 'plaster'],
        'natural-stone',
      ),
      mantelStyle: choice('Mantel.', ['wood-beam', 'classic-white', 'floating-shelf', 'none'], 'wood-beam', {
        wording: { none: 'no mantel' },
      }),
      fireLit: flag('Whether a fire burns.', 'false'),
    },
    task: [
      'Reface the fireplace in this photo. The surround: {fireplaceMaterial}. The mantel: {mantelStyle}.',
      { when: { fireLit: ['true'] }, text: 'A calm fire burns in it, with a soft glow on what is near.' },
      { when: { fireLit: ['false'] }, text: 'The fire is not lit.' },
      'The firebox keeps its place and size.',
    ],
    keep: KEEP_ROOM,
  },
  {
    slug: 'staircase-railing',
    title: 'Staircase railing',
    description: 'Replaces the railing of a staircase.',
    customPrompt: 'read',
    preset: 'Replace the stair railing with slim vertical matte black balusters and an oak handrail.',
    options: {
      railingStyle: choice(
        'Kind of railing.',
        ['metal-balusters', 'glass-panels', 'cable', 'wood-spindles', 'wrought-iron', 'horizontal-bars'],
        'metal-balusters',
      ),
      railingFinish: choice(
        'Finish of the metal or frame.',
        ['matte-black', 'white', 'brushed-steel', 'bronze'],
        'matte-black',
      ),
      handrailTone: choice('Color of the handrail.', WOOD_TONE, 'natural-wood'),
    },
    task: [
      'Replace the staircase railing in this photo. The new railing: {railingStyle}, finish {railingFinish}. The handrail: {handrailTone}.',
      'Treads, risers and landings stay; the railing runs without a gap, at code height and in correct perspective.',
    ],
    keep: KEEP_ROOM,
  },
  {
    slug: 'ceiling-fan',
    title: 'Ceiling fan',
    description: 'Adds a ceiling fan or replaces the existing one.',
    customPrompt: 'read',
    preset: 'Install a modern three-blade ceiling fan with a small light at the center of the ceiling.',
    options: {
      fanStyle: choice(
        'Kind of fan.',
        ['modern-three-blade', 'classic-five-blade', 'industrial', 'farmhouse', 'tropical', 'low-profile'],
        'modern-three-blade',
      ),
      fanFinish: choice('Finish of the fan.', [...FINISH, 'white', 'natural-wood'], 'brushed-nickel'),
      withLight: flag('Whether the fan has a light.', 'true'),
    },
    task: [
      'Install a ceiling fan in this photo, in place of a ceiling lamp or fan where there is one. Kind: {fanStyle}. Finish: {fanFinish}.',
      { when: { withLight: ['true'] }, text: 'It has an integrated light.' },
      { when: { withLight: ['false'] }, text: 'It has no light.' },
      'It hangs straight at real-world size and clears walls and furniture.',
    ],
    keep: KEEP_ROOM,
  },
  {
    slug: 'lighting-update',
    title: 'Lighting update',
    description: 'Replaces light fixtures.',
    customPrompt: 'read',
    preset: 'Replace the visible light fixtures with matching contemporary ones that give warm white light.',
    options: {
      lightingType: choice(
        'Kind of fixture.',
        ['pendant', 'chandelier', 'recessed', 'flush-mount', 'track', 'wall-sconce', 'floor-lamp'],
        'pendant',
      ),
      fixtureFinish,
      lightColor: choice('Color of the light.', ['warm-white', 'neutral-white', 'cool-white'], 'warm-white'),
    },
    task: [
      'Update the light fixtures in this photo. New fixtures: {lightingType}, finish {fixtureFinish}, giving {lightColor} light.',
      'They hang where the existing ones do, or where an electrician would place them, and light their surroundings plausibly.',
    ],
    keep: KEEP_ROOM,
  },
  {
    slug: 'door-update',
    title: 'Door update',
    description: 'Replaces the doors in view.',
    customPrompt: 'read',
    preset: 'Replace the interior doors with white shaker panel doors with matte black handles.',
    options: {
      doorStyle: choice(
        'Kind of door.',
        ['shaker-panel', 'flush-modern', 'glass-panel', 'french', 'barn-sliding', 'pocket', 'arched'],
        'shaker-panel',
      ),
      doorColor: choice('Color of the door.', WOOD_TONE, 'white'),
      doorTone: tone('A more exact shade in words.'),
      hardwareFinish: choice('Finish of handles and hinges.', FINISH, 'matte-black'),
    },
    task: [
      'Replace the doors in this photo. New doors: {doorStyle}, color {doorColor}, hardware {hardwareFinish}.',
      'The exact shade: {doorTone}.',
      'Openings keep their place and size; frames and trim match the new doors.',
    ],
    keep: KEEP_ROOM,
  },
];
