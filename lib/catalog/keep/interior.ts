import { FRAMING, MATCHING_LIGHT, RESULT, unchanged } from './result.ts';

const STRUCTURE =
  'The structure of the room stays: every wall, window, door opening and the ceiling keep their exact position, size and shape.';

const SHELL = {
  walls: 'wall colors and coverings',
  floor: 'the floor',
  ceiling: 'the ceiling',
  windows: 'window frames',
  view: 'the view outside',
  doors: 'doors and trim',
} as const;

const ROOM = {
  ...SHELL,
  builtIns: 'built-in units',
  fixtures: 'sanitary fixtures',
  appliances: 'large appliances',
  lights: 'ceiling and wall lights',
  curtains: 'curtains and blinds',
  furniture: 'furniture',
  decor: 'rugs, art and accessories',
} as const;

const KITCHEN = {
  cabinets: 'cabinet fronts and hardware',
  countertops: 'countertops',
  backsplash: 'the backsplash',
  sink: 'sink',
  faucet: 'faucet',
  hood: 'range hood',
  appliances: 'the other appliances',
  ...SHELL,
  lights: 'lights',
  furniture: 'furniture and everything standing on the counters',
} as const;

const BATHROOM = {
  bathtub: 'bathtub',
  shower: 'shower and glass',
  toilet: 'toilet',
  sink: 'sink and vanity',
  faucet: 'faucets',
  accessories: 'towel bars, mirrors and accessories',
  ...SHELL,
  tile: 'tile outside the area of the task',
  lights: 'lights',
} as const;

/** A room in which only the named parts may change, beside what the task adds. */
export function keepRoom(...changing: (keyof typeof ROOM)[]): readonly string[] {
  return [STRUCTURE, unchanged(ROOM, changing), FRAMING, MATCHING_LIGHT, RESULT];
}

export function keepKitchen(...changing: (keyof typeof KITCHEN)[]): readonly string[] {
  return [STRUCTURE, unchanged(KITCHEN, changing), FRAMING, MATCHING_LIGHT, RESULT];
}

export function keepBathroom(...changing: (keyof typeof BATHROOM)[]): readonly string[] {
  return [STRUCTURE, unchanged(BATHROOM, changing), FRAMING, MATCHING_LIGHT, RESULT];
}

/** A room, or the outside of a building, that is repaired or finished as a whole. */
export const KEEP_STRUCTURE: readonly string[] = [
  'The structure stays: every wall, window, door opening and stair keeps its exact position, size and shape, ceiling heights and roof lines are as they are, and so is the view outside.',
  FRAMING,
  MATCHING_LIGHT,
  RESULT,
];
