/** Closing sentences of instructions: what stays unchanged, and the requirements on the result. */

const FRAME =
  'Keep the camera position, framing, perspective and proportions of the input exactly; do not crop, rotate or mirror.';

const PHOTO_RESULT =
  'Return one photorealistic image with consistent light, shadows, reflections and scale, without added people, text, logos or borders.';

/** Furniture moves or changes; the room does not. */
export const KEEP_ARCHITECTURE = `Keep the architecture untouched: walls, floor, ceiling, windows with their view, doors, stairs, built-in units and fixtures. ${FRAME} ${PHOTO_RESULT}`;

/** One surface or part of a room changes. */
export const KEEP_ROOM = `Change nothing else: the room's layout, windows with their view, doors, furniture, decor and every other surface stay as they are. ${FRAME} ${PHOTO_RESULT}`;

/** The rooms' looks change as a whole; their structure does not. */
export const KEEP_STRUCTURE = `Keep the structure: walls, openings, ceiling height, the place and size of windows and doors, and the view outside. ${FRAME} ${PHOTO_RESULT}`;

/** The image is corrected, never redrawn. */
export const KEEP_SCENE = `Do not add, remove, move, replace or reshape anything in the scene; edges, materials and small print stay recognizable. Return one photorealistic image without added text, logos or borders.`;

/** Geometry is corrected; what the photo shows is not. */
export const KEEP_CONTENT =
  'Do not add, remove or replace anything in the scene; colors, light and materials stay as they are. Return one photorealistic image without added text, logos or borders.';

/** One part of the scene is replaced; the subject stays. */
export const KEEP_SUBJECT = `Keep everything else in the photo pixel-faithful, with clean edges where it meets the edited area. ${FRAME} ${PHOTO_RESULT}`;

/** Light, season or decoration changes over the whole photo. */
export const KEEP_OBJECTS = `Every object keeps its place, shape and material; only what the task names changes. ${FRAME} ${PHOTO_RESULT}`;

/** The outside of one building changes. */
export const KEEP_BUILDING = `Keep the building's massing, roof line, window and door openings, the plot, the street and neighboring buildings. ${FRAME} ${PHOTO_RESULT}`;

/** The plot changes around a building that stays. */
export const KEEP_PLOT = `Change nothing else: the house, neighboring plots, slopes and the rest of the yard stay as they are. ${FRAME} ${PHOTO_RESULT}`;

/** A plan is redrawn. */
export const KEEP_PLAN =
  'Follow the input plan exactly: every wall, opening, door swing, window, stair and room keeps its place, size and proportion. Invent no rooms and leave none out. Return one clean image on a plain background, without logos or borders.';
