import { FRAMING, MATCHING_LIGHT, RESULT } from './result.ts';

const SAME_SCENE =
  'The scene stays as photographed: every object, person, surface, texture and piece of lettering keeps its place, shape and identity. Beyond what the task names, nothing is added, removed, moved, replaced or redrawn.';

/** Tone, color or sharpness is corrected; the scene is never redrawn. */
export const KEEP_SCENE: readonly string[] = [SAME_SCENE, FRAMING, RESULT];

/** Geometry is corrected, so lines move; what the photo shows does not change. */
export const KEEP_CONTENT: readonly string[] = [
  'What the photo shows stays: every object, person, surface, material and piece of lettering. Only the geometry and the faults that the task names change.',
  'The camera position stays, and the result has the orientation and exact aspect ratio of the input, fills the frame edge to edge, and crops no more than the correction needs.',
  RESULT,
];

/** One part is removed or changed; everything around it stays. */
export const KEEP_SURROUNDINGS: readonly string[] = [
  'Everything else stays exactly as photographed: each remaining object, surface, material, color and piece of lettering, pixel for pixel, with clean edges where it meets the edited area.',
  FRAMING,
  MATCHING_LIGHT,
  RESULT,
];

/** The same, where what is new brings its own light. */
export const KEEP_FOREGROUND: readonly string[] = KEEP_SURROUNDINGS.filter((line) => line !== MATCHING_LIGHT);

/**
 * Light, season, sky or decoration changes over the whole photo; what `named` lists does not move.
 */
function objects(named: string): readonly string[] {
  const stays = `Everything keeps its exact place, size and shape: ${named}. Materials and their own colors stay; only what the task names changes.`;
  return [stays, FRAMING, RESULT];
}

export const KEEP_OBJECTS = objects('the building or room, its openings, furniture, paving and planting');

export const KEEP_OBJECTS_INSIDE = objects(
  'walls, windows, doors, ceiling, floor, built-ins, lamps, furniture and decor',
);

export const KEEP_OBJECTS_OUTSIDE = objects(
  'buildings with their roofs, windows and doors, paving, plot boundaries, trees, vehicles, neighboring houses and the street',
);
