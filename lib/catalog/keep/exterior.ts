import { FRAMING, MATCHING_LIGHT, RESULT, unchanged } from './result.ts';

const STRUCTURE =
  'The main building keeps its shape: massing, number of floors, roof line, and each window and door opening in its exact place and size.';

const PLOT = {
  facade: 'facades with their materials and colors',
  roof: 'roofing',
  doors: 'windows, doors and garage doors',
  driveway: 'driveway',
  paths: 'paths',
  lawn: 'lawn',
  planting: 'trees, shrubs and beds',
  fences: 'fences and garden walls',
  structures: 'pools, decks, patios and garden structures',
  terrain: 'the slope of the ground',
  neighbors: 'neighboring houses and plots',
  street: 'street and parked cars',
  sky: 'the sky',
} as const;

/** A house with its plot, of which only the named parts may change, beside what the task adds. */
export function keepPlot(...changing: (keyof typeof PLOT)[]): readonly string[] {
  return [STRUCTURE, unchanged(PLOT, changing), FRAMING, MATCHING_LIGHT, RESULT];
}
